// The check runs as you type: the form goes to the server as its "Check" button would send it, and the findings of the
// page that comes back take the place of those shown.
const PAUSE = 900;

function watch(form) {
  let due; let asked;
  const run = async () => {
    asked?.abort();
    asked = new AbortController();
    const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
    body.set("do", "check");
    try {
      const answer = await fetch(form.action, { method: "POST", body, signal: asked.signal, redirect: "error" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const fresh of page.querySelectorAll("[data-check]")) {
        const shown = document.getElementById(fresh.id);
        if (shown && shown.innerHTML !== fresh.innerHTML) shown.replaceChildren(...fresh.childNodes);
      }
    } catch { /* no network, or typing went on: the button is still there */ }
  };
  form.addEventListener("input", (event) => {
    if (!event.target.matches("textarea.code")) return;
    clearTimeout(due);
    due = setTimeout(run, PAUSE);
  });
}

// The warnings of the whole report, which takes longer to make than a page may, come to the short one when they are there.
async function alarms(block) {
  try {
    const answer = await fetch(block.dataset.alarms);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const list = block.querySelector(".effects");
    const known = new Set([...list.children].map((line) => line.textContent));
    const fresh = [...page.querySelectorAll(".effects .alarm")].filter((line) => !known.has(line.textContent));
    list.prepend(...fresh);
  } catch { /* no network: the link to the whole report is still there */ }
}

// What takes longer to find out than a page may comes when it is there.
async function later(part) {
  try {
    const answer = await fetch(part.dataset.later);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(part.id);
    if (fresh) part.replaceChildren(...fresh.childNodes);
  } catch { /* no network: the link in its place is still there */ }
}

// What an action would do is shown as soon as something is picked in its form. The listener is the document's, for the live page
// exchanges forms.
function trials() {
  let asked;
  document.addEventListener("change", async ({ target }) => {
    const { form } = target;
    const button = form?.querySelector("[data-trial]");
    if (!button) return;
    asked?.abort();
    asked = new AbortController();
    const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
    try {
      const answer = await fetch(button.formAction, { method: "POST", body, signal: asked.signal, redirect: "error" });
      if (!answer.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("trial");
      if (!fresh) return;
      document.getElementById("trial")?.remove();
      form.after(fresh);
    } catch { /* no network, or another pick: the button is still there */ }
  });
}

// The fields of a change follow from what is picked in it: they come when a pick was made.
function follow(form) {
  form.addEventListener("change", async (event) => {
    const part = event.target.closest("[data-pick]");
    if (!part || !event.target.matches("select")) return;
    const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
    body.set("do", "again");
    try {
      const answer = await fetch(form.action, { method: "POST", body, redirect: "error" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById(part.id);
      if (!fresh) return;
      part.replaceChildren(...fresh.childNodes);
      part.querySelector(`#${CSS.escape(event.target.id)}`)?.focus();
    } catch { /* no network: the button is still there */ }
  });
}

export function check() {
  trials();
  document.querySelectorAll("[data-later]").forEach(later);
  document.querySelectorAll("[data-alarms]").forEach(alarms);
  document.querySelectorAll("form[data-checked]").forEach((form) => { watch(form); follow(form); });
}
