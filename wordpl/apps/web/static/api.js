// Requests to the server. Every path is relative, so the page also works behind a proxy's path prefix.

const TIMEOUT_MS = 15000;

/** The server refused a request, or (status 0) could not be reached. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Send a request and return the decoded reply; null if nothing has changed since `etag`. */
export async function request(path, { body, token, etag, timeoutMs = TIMEOUT_MS } = {}) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (etag) headers["If-None-Match"] = etag;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers,
      body: body && JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch {
    throw new RequestError("The server cannot be reached. Your game is saved; try again.", 0);
  }
  if (response.status === 304) return null;
  const reply = await response.json().catch(() => ({}));
  if (!response.ok) throw new RequestError(reply.error || `The server replied ${response.status}.`, response.status);
  return reply;
}
