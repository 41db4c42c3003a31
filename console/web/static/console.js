// The console's only script. Pages can be read without it; with it they are live, and links can be marked by a click.
"use strict";

const page = document.documentElement;

// Replace the live parts of the page by those of its newest version, but for a part in which a person is working.
async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id);
    if (other && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(other));
  }
}

function follow(address) {
  const events = new EventSource(address);
  let waiting = false;
  events.addEventListener("change", () => {
    if (waiting || document.hidden) return;
    waiting = true;
    refresh().finally(() => { waiting = false; });
  });
  events.addEventListener("done", () => { events.close(); location.reload(); });
  addEventListener("pagehide", () => events.close());
}

const live = document.querySelector("[data-events]");
if (live) follow(live.dataset.events);

for (const button of document.querySelectorAll("[data-check]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const boxes = document.querySelectorAll(`#${CSS.escape(button.dataset.check)} input[type=checkbox]`);
    const all = [...boxes].every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
  });
}

page.classList.add("has-script");
