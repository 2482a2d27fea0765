// The user of a client: opens the URL of an authorization request, and finds the redirect.

/// Follows redirects with cookies, until one leads to the client. Returns that URL.
export async function authorize(url, callback) {
  const cookies = new Map();
  let next = new URL(url);
  for (let hops = 0; hops < 10; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get('location');
    if (!location) {
      throw new Error(`no redirect from ${next.pathname}: ${response.status} ${await response.text()}`);
    }
    next = new URL(location, next);
    if (String(next).startsWith(callback)) return next;
  }
  throw new Error('too many redirects');
}
