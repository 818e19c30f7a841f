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

/** How long to wait until the next try, in milliseconds: twice as long each time. */
const SOONEST = 500;
const LATEST = 15000;

/**
 * Calls back with the number of every new state, and with whether the server is there. A browser
 * has few connections to a server, and each stream of events keeps one: so one tab listens and
 * tells the others. When it is closed, another takes over. A server started again at the same
 * address has another token and other tabs.
 */
function follow(onState, onConnection) {
  const tabs = new BroadcastChannel(`fdc ${TOKEN}`);
  const known = {};
  const tell = (news) => {
    Object.assign(known, news);
    if (news.connected !== undefined) onConnection(news.connected);
    if (news.state !== undefined) onState(news.state);
  };
  let listens = false;
  tabs.onmessage = ({ data }) => {
    if (data !== 'new tab') tell(data);
    else if (listens) tabs.postMessage(known);
  };
  const listen = () => {
    listens = true;
    const tellAll = (news) => {
      tell(news);
      tabs.postMessage(news);
    };
    let wait = SOONEST;
    const connect = () => {
      const events = new EventSource(`api/events?token=${encodeURIComponent(TOKEN)}`);
      events.onopen = () => {
        wait = SOONEST;
        tellAll({ connected: true });
      };
      events.onmessage = (event) => tellAll({ state: Number(event.data) });
      events.onerror = () => {
        // Browsers differ in when they give up, so the next try is ours.
        events.close();
        setTimeout(connect, wait);
        wait = Math.min(2 * wait, LATEST);
        tellAll({ connected: false });
      };
    };
    connect();
    return new Promise(() => {});
  };
  navigator.locks.request(`fdc ${TOKEN}`, listen);
  tabs.postMessage('new tab');
}
