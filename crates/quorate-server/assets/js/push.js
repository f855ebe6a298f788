// Notices in this browser: asks it for a subscription, and sends with the form what it says of that.
export const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));

const subscribed = async (key) => {
  await navigator.serviceWorker.register("/sw.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  // One of before may be for another key, with which no new one can be made.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
};

export const push = () => {
  const form = document.querySelector('form[action="/notices/push"]');
  const { server, endpoint, p256dh, auth } = form.elements;
  if (!("serviceWorker" in navigator && "PushManager" in window)) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const { endpoint: address, keys } = (await subscribed(server.value)).toJSON();
      [endpoint.value, p256dh.value, auth.value] = [address, keys.p256dh, keys.auth];
    } catch {
      // The server says what is wrong when nothing was filled in.
    }
    form.submit();
  });
};
