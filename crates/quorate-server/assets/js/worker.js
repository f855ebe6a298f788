// Runs in the browser beside the pages: shows notices that come while none is open, and the pages last seen while
// there is no network.
const SEEN = "seen-1";
const PAGES_MAX = 40;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const told = event.data ? event.data.json() : {};
  event.waitUntil(self.registration.showNotification(told.title || "Quorate", {
    body: told.body || "", tag: told.tag, data: { link: told.link || "/" },
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data.link));
});

const keep = async (request, answer) => {
  const seen = await caches.open(SEEN);
  await seen.put(request, answer);
  const all = await seen.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - PAGES_MAX)).map((old) => seen.delete(old)));
};

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const is_page = request.mode === "navigate" || url.pathname.startsWith("/assets/");
  if (request.method !== "GET" || url.origin !== self.location.origin || !is_page) return;
  event.respondWith((async () => {
    try {
      const answer = await fetch(request);
      // Signing out forgets what was seen here.
      if (url.pathname === "/sign-in") await caches.delete(SEEN);
      else if (answer.ok) event.waitUntil(keep(request, answer.clone()));
      return answer;
    } catch (error) {
      const known = await caches.match(request);
      if (known) return known;
      throw error;
    }
  })());
});
