// The console's only script. Pages can be read without it; with it they are live, and links can be marked by a click.
"use strict";

const page = document.documentElement;

const live = document.querySelector("[data-events]");
const topic = live && live.dataset.events;

// Replace the live parts of the page by those of its newest version, but for a part in which a person is working.
async function refresh() {
  const answer = await fetch(location.href);
  if (answer.status >= 500) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (fresh.querySelector("[data-events]")?.dataset.events !== topic) return location.reload(); // a job is done
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id);
    if (other && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(other));
  }
}

// A browser allows six connections to a host, and each stream of events holds one: the tab with the lock has the stream
// and tells the others. Hidden tabs take no part. Without HTTPS, browsers have no locks: each visible tab has a stream.
function follow() {
  const others = new BroadcastChannel("events");
  const inTurn = navigator.locks
    ? (signal, hold) => navigator.locks.request("events", { signal }, hold)
    : (signal, hold) => hold();
  let leave = null, waiting = false, late = false, again;

  function hear(heard) {
    if (document.hidden || (heard && heard !== topic)) return;
    late = waiting;
    if (waiting) return;
    waiting = true;
    refresh().then(() => true, () => false).then((isFresh) => {
      document.getElementById("stale").hidden = isFresh;
      waiting = false;
      clearTimeout(again);
      if (!isFresh) again = setTimeout(hear, 3000, topic);
      else if (late) hear(topic);
    });
  }

  function take() {
    if (leave || document.hidden) return;
    const turn = new AbortController();
    leave = () => turn.abort();
    inTurn(turn.signal, () => new Promise((release) => {
      const events = new EventSource("/events");
      const tell = (heard) => { others.postMessage(heard); hear(heard); };
      events.onmessage = (event) => tell(event.data);
      events.onopen = () => (performance.now() < 3000 ? others.postMessage("") : tell("")); // what nobody has heard
      events.onerror = () => {
        tell(""); // shows that the page is out of date, or leads to the login if the session has ended
        if (events.readyState !== EventSource.CLOSED) return; // the browser tries again
        drop();
        setTimeout(take, 3000);
      };
      leave = () => { events.close(); release(); };
    })).catch(() => {});
  }

  function drop() {
    if (leave) leave();
    leave = null;
  }

  others.onmessage = (event) => hear(event.data);
  document.addEventListener("visibilitychange", () => {
    drop();
    take();
    hear("");
  });
  addEventListener("pagehide", drop);
  addEventListener("pageshow", take);
}

if (live) follow();

for (const button of document.querySelectorAll("[data-check]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const boxes = document.querySelectorAll(`#${CSS.escape(button.dataset.check)} input[type=checkbox]`);
    const all = [...boxes].every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
  });
}

page.classList.add("has-script");
