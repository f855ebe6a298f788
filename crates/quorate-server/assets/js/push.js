// Notices in this browser while no page of ours is open. The button appears where the browser can, and the form
// carries what it says of itself; the server does the rest.
export const push = (form) => {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    if (form.elements.endpoint.value !== "") return;
    event.preventDefault();
    try {
      const worker = await navigator.serviceWorker.register("/worker.js");
      const given = await worker.pushManager.subscribe({
        userVisibleOnly: true,
        applicationServerKey: form.dataset.push,
      });
      const { endpoint, keys } = given.toJSON();
      form.elements.endpoint.value = endpoint;
      form.elements.p256dh.value = keys.p256dh;
      form.elements.auth.value = keys.auth;
      form.requestSubmit();
    } catch (error) {
      form.querySelector("output").value = `This browser did not allow it: ${error.message}`;
    }
  });
};
