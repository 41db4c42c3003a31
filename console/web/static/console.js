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

// A page is read again while it is shown: each second during a job, else every three seconds.
let again;

function wait() {
  clearTimeout(again);
  again = setTimeout(follow, topic.startsWith("job ") ? 1000 : 3000);
}

async function follow() {
  clearTimeout(again);
  if (!document.hidden) {
    const isFresh = await refresh().then(() => true, () => false);
    document.getElementById("stale").hidden = isFresh;
  }
  wait();
}

if (live) {
  wait();
  document.addEventListener("visibilitychange", follow);
}

for (const button of document.querySelectorAll("[data-check]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const boxes = document.querySelectorAll(`#${CSS.escape(button.dataset.check)} input[type=checkbox]`);
    const all = [...boxes].every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
  });
}

page.classList.add("has-script");
