// Talking to the server. The token is in the page's address and goes into a header of every
// request; only the stream of events, which cannot have one, has it in its address.

const TOKEN = new URLSearchParams(location.search).get('token') ?? '';

/** The server said no, with a reason. */
class Refused extends Error {}
/** The server did not answer. */
class Unreachable extends Error {}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, cache: 'no-store', headers: { ...options.headers, 'x-fdc-token': TOKEN } });
    const state = Number(response.headers.get('fdc-state'));
    const text = await response.text();
    if (response.ok) return { state, text };
    throw new Refused(reason(response, text));
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Unreachable(String(error.message ?? error));
  }
}

function reason(response, text) {
  try {
    return JSON.parse(text).message;
  } catch {
    return text.trim() || `the server answered ${response.status}`;
  }
}

/** Something to look at, as JSON; `state` is the number of the state that it shows. */
async function look(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  const { state, text } = await request(query ? `${path}?${query}` : path);
  return { state, value: JSON.parse(text) };
}

/** A request of the line protocol. */
async function act(what) {
  const body = JSON.stringify(what);
  const headers = { 'content-type': 'application/json' };
  const { state, text } = await request('api/do', { method: 'POST', headers, body });
  return { state, value: JSON.parse(text) };
}

/**
 * Calls back with the number of every new state, and with whether the server is there. The browser
 * connects again by itself until the server refuses the token.
 */
function follow(onState, onConnection) {
  const events = new EventSource(`api/events?token=${encodeURIComponent(TOKEN)}`);
  events.onopen = () => onConnection(true);
  events.onmessage = (event) => onState(Number(event.data));
  events.onerror = () => onConnection(false);
  return events;
}
