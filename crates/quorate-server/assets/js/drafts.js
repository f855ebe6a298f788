// What is typed survives a closed tab and a lost network. A draft goes away when its form was taken by the server:
// the next page that is not the same form says so.
const key = (form) => `draft:${form.dataset.draft}`;
const fields = (form) => [...form.elements].filter((f) => f.name && !["hidden", "password", "submit", "button"].includes(f.type));
const store = { get: (k) => { try { return localStorage.getItem(k); } catch { return null; } },
  set: (k, v) => { try { localStorage.setItem(k, v); return true; } catch { return false; } },
  drop: (k) => { try { localStorage.removeItem(k); } catch { /* storage is off: there is nothing to drop */ } } };

function read(form) {
  const kept = {};
  for (const f of fields(form)) {
    if (f.type === "checkbox" || f.type === "radio") { if (f.checked) (kept[f.name] ??= []).push(f.value); }
    else (kept[f.name] ??= []).push(f.value);
  }
  return kept;
}
function write(form, kept) {
  const left = structuredClone(kept);
  for (const f of fields(form)) {
    if (f.type === "checkbox" || f.type === "radio") f.checked = (kept[f.name] || []).includes(f.value);
    else if (left[f.name]?.length) f.value = left[f.name].shift();
  }
}
function keep(form) {
  const note = form.querySelector("[data-saved]");
  const asSent = JSON.stringify(read(form));
  const old = store.get(key(form));
  if (old && old !== asSent) {
    write(form, JSON.parse(old));
    if (note) {
      const drop = Object.assign(document.createElement("button"), { type: "button", className: "btn plain small", textContent: "Start over" });
      drop.addEventListener("click", () => { store.drop(key(form)); write(form, JSON.parse(asSent)); note.textContent = ""; });
      note.replaceChildren("Your draft is back. ", drop);
    }
  }
  let due;
  const save = () => {
    due = null;
    const text = JSON.stringify(read(form));
    if (text === asSent) { store.drop(key(form)); return; }
    if (store.set(key(form), text) && note) note.textContent = "Draft kept in this browser.";
  };
  form.addEventListener("input", () => { due ??= setTimeout(save, 400); });
  form.addEventListener("submit", () => { save(); store.set("draft-sent", key(form)); });
  addEventListener("pagehide", () => { if (due) save(); });
}

export function drafts() {
  const forms = [...document.querySelectorAll("form[data-draft]")];
  const gone = store.get("draft-sent");
  if (gone) {
    const same = forms.find((f) => key(f) === gone);
    if (!same || !document.querySelector("[aria-invalid], .refusal")) store.drop(gone);
    store.drop("draft-sent");
  }
  forms.forEach(keep);
}
