// The way of a prompt: which files a call passes from the command line to the family that executes the skill, and how
// often it comes back to a file that it had left. Taken with the debugger at the first line of each family's work.
//
//   npm run call-stack               of src
//   npm run call-stack -- <folder>   of another checkout
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const project = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));
const workshop = path.join(project, 'examples', 'workshop');
const requests = ['/tyre-size 37-622', 'Prepare the morning report of the workshop'];
const deepest = 500; // awaited calls that the debugger remembers

/** A function on the stack; the outermost one comes first. */
interface Passed {
  readonly file: string;
  readonly name: string;
}

interface Location {
  readonly url: string;
  readonly functionName: string;
  /** Of the script, where `url` is empty: the functions that run have no URL. */
  readonly location?: { readonly scriptId: string };
}

interface AsyncStack {
  readonly callFrames: readonly Location[];
  readonly parent?: AsyncStack;
}

type Message =
  | {
      readonly method: 'Debugger.paused';
      readonly params: AsyncStack & { readonly asyncStackTrace?: AsyncStack };
    }
  | {
      readonly method: 'Debugger.scriptParsed';
      readonly params: { readonly scriptId: string; readonly url: string };
    }
  | {
      readonly method: 'Runtime.executionContextDestroyed';
      readonly params: { readonly executionContextId: number };
    };

for (const request of requests) {
  const stacks = await record(request);
  const longest = stacks.reduce((one, other) => (other.length > one.length ? other : one), []);
  print(request, longest);
}

/** Runs a request below the debugger; the stack at the beginning of each family's work. */
async function record(request: string): Promise<readonly (readonly Passed[])[]> {
  const store = mkdtempSync(path.join(tmpdir(), 'skilled-stack-'));
  const args = [
    'run',
    request,
    '--cwd',
    workshop,
    '--skills',
    path.join(workshop, 'skills'),
    '--only',
    '--yes',
  ];
  const child = spawn(
    process.execPath,
    ['--inspect-brk=127.0.0.1:0', path.join(project, 'src/cli/main.ts'), ...args],
    {
      env: {
        ...process.env,
        SKILLED_STORE: path.join(store, 'runs.db'),
        SKILLED_DATABASE: path.join(store, 'tables.db'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  try {
    return await collect(await addressOf(child.stderr));
  } finally {
    child.kill();
    rmSync(store, { recursive: true, force: true });
  }
}

function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const address = /ws:\S+/.exec(text)?.[0];
    if (address !== undefined) resolve(address);
  });
  return promise;
}

async function collect(address: string): Promise<readonly (readonly Passed[])[]> {
  const socket = new WebSocket(address);
  const stacks: (readonly Passed[])[] = [];
  const ended = Promise.withResolvers<undefined>();
  let sent = 0;
  const send = (method: string, params: object = {}): void => {
    socket.send(JSON.stringify({ id: ++sent, method, params }));
  };
  const scripts = new Map<string, string>();
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as Message;
    if (method === 'Runtime.executionContextDestroyed' && params.executionContextId === 1)
      ended.resolve(undefined);
    if (method === 'Debugger.scriptParsed') scripts.set(params.scriptId, params.url);
    if (method !== 'Debugger.paused') return;
    const frames = params.callFrames.map((frame) => ({
      ...frame,
      url: scripts.get(frame.location?.scriptId ?? '') ?? '',
    }));
    stacks.push(passedIn(frames, params.asyncStackTrace));
    send('Debugger.resume');
  });
  socket.addEventListener('close', () => {
    ended.resolve(undefined);
  });
  await new Promise((resolve) => {
    socket.addEventListener('open', resolve, { once: true });
  });
  send('Runtime.enable');
  send('Debugger.enable');
  send('Debugger.setAsyncCallStackDepth', { maxDepth: deepest });
  for (const { file, line } of executions())
    send('Debugger.setBreakpointByUrl', { url: pathToFileURL(file).href, lineNumber: line });
  send('Runtime.runIfWaitingForDebugger');
  await ended.promise;
  socket.close();
  return stacks;
}

/** Where families begin to execute a skill: the line of the function `execute`, counted from 0. */
function executions(): readonly { readonly file: string; readonly line: number }[] {
  return globSync(path.join(project, 'src/families/*/{execute,index}.ts')).flatMap((file) => {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((text) => /^(export )?async function execute\(/.test(text));
    return line < 0 ? [] : [{ file, line }];
  });
}

function passedIn(frames: readonly Location[], above: AsyncStack | undefined): readonly Passed[] {
  const locations = [...frames];
  for (let stack = above; stack !== undefined; stack = stack.parent) locations.push(...stack.callFrames);
  const source = `${pathToFileURL(path.join(project, 'src')).href}/`;
  return locations
    .filter(({ url }) => url.startsWith(source))
    .map(({ url, functionName }) => ({ file: url.slice(source.length), name: functionName }))
    .reverse();
}

function print(request: string, stack: readonly Passed[]): void {
  const visits = stack.filter(({ file }, index) => file !== stack[index - 1]?.file);
  const files = new Set(visits.map(({ file }) => file));
  const folders = new Set([...files].map((file) => path.dirname(file)));
  const names = (visit: number): string => {
    const from = stack.indexOf(visits[visit] as Passed);
    const next = visits[visit + 1];
    const to = next === undefined ? stack.length : stack.indexOf(next);
    return [...new Set(stack.slice(from, to).map(({ name }) => name || '(anonymous)'))].join(' › ');
  };
  const seen = new Set<string>();
  process.stdout.write(`${request}\n`);
  visits.forEach(({ file }, visit) => {
    process.stdout.write(`  ${seen.has(file) ? '↩' : ' '} ${file.padEnd(44)} ${names(visit)}\n`);
    seen.add(file);
  });
  const returns = visits.length - files.size;
  process.stdout.write(`  ${files.size} files, ${folders.size} folders, ${returns} returns\n\n`);
}
