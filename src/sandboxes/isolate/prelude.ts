/**
 * The first code that runs in every isolate. It provides the snippet's console and functions, returns the
 * snippet's value, and passes only primitives to the host. It captures the built-ins that it needs before
 * the snippet can change them.
 */
export const isolatePrelude = `
'use strict';
const [post, names, mostOutput, mostCalls] = [$0, $1, $2, $3];
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { slice } = String.prototype;
const asText = String;
const Fault = Error;
const Later = Promise;
const cut = (text, most) => apply(slice, text, [0, most]);

// Other engines and memory that is shared have no use here.
for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) delete globalThis[name];

let log = '';
let isCut = false;
const write = (...given) => {
  if (isCut) return;
  let line = '';
  for (let at = 0; at < given.length; at += 1) line += (at === 0 ? '' : ' ') + show(given[at]);
  log += line + '\\n';
  if (log.length <= mostOutput) return;
  log = cut(log, mostOutput) + '\\n[the rest of the log was left out]\\n';
  isCut = true;
};
const show = (value) => {
  if (typeof value === 'string') return value;
  try {
    if (typeof value === 'object' && !(value instanceof Fault)) return stringify(value) ?? 'undefined';
    return asText(value);
  } catch {
    return '[something that cannot be shown]';
  }
};
globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };

let calls = 0;
let sent = 0;
let sentInAll = 0;
const open = { __proto__: null };
const call = (name, given) =>
  new Later((resolve, reject) => {
    const text = asText(stringify(given));
    if (text.length > mostOutput) throw new Fault(name + ' was given more than ' + mostOutput + ' characters.');
    if (sent + text.length > 4 * mostOutput) throw new Fault(name + ' was called while too much was under way: await earlier calls first.');
    if (calls === mostCalls) throw new Fault('Functions were called more than ' + mostCalls + ' times.');
    if (sentInAll + text.length > 64 * mostOutput) throw new Fault('Functions were given more than ' + 64 * mostOutput + ' characters in all.');
    calls += 1;
    sent += text.length;
    sentInAll += text.length; // much of it is kept with the run
    open[calls] = { resolve, reject, fault: new Fault(), size: text.length };
    post('call', calls, name, text);
  });
for (const name of parse(names)) globalThis[name] = (...given) => call(name, given);

const work = async (main, input) => {
  try {
    const value = await main(parse(input));
    const text = value === undefined ? 'null' : stringify(value);
    if (typeof text !== 'string') throw new Fault('It returned a ' + typeof value + ', which is not JSON.');
    if (text.length > mostOutput) post('output', 'It returned ' + text.length + ' characters of JSON.', '', log);
    else post(value === undefined ? 'nothing' : 'value', text, '', log);
  } catch (thrown) {
    let stack = '';
    try {
      stack = asText(thrown.stack);
    } catch {
      // what was thrown need not be an error
    }
    let message = '[something that cannot be shown]';
    try {
      message = asText(thrown);
    } catch {
      // nor something that has a text
    }
    post('threw', cut(message, 2000), cut(stack, 10000), log);
  }
};

return {
  begin(main, input) {
    work(main, input);
  },
  answer(id, text, isFault) {
    const { resolve, reject, fault, size } = open[id];
    delete open[id];
    sent -= size;
    if (!isFault) return resolve(parse(text));
    fault.message = text;
    reject(fault); // made when it was called, so that it knows the line
  },
};
`;
