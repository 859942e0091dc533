import { spawn } from 'node:child_process';
import { AgentError, deadline, onAbort, optional } from '../core/index.ts';
import { sourceLimits, type SourceContext } from './tree.ts';

/** One call of git. */
export interface GitRun {
  readonly args: readonly string[];
  /** The bare repository in which it runs. */
  readonly folder: string;
  readonly context: SourceContext;
  /** The address of the repository, for messages. */
  readonly url: string;
  readonly input?: string;
  readonly signal?: AbortSignal;
}

// Git looks up these settings before those of the user and of the repository.
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.symlinks=false',
  'core.protectNTFS=true',
  'core.protectHFS=true',
  'credential.interactive=false',
  'fetch.recurseSubmodules=false',
  'filter.lfs.process=',
  'filter.lfs.smudge=',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'protocol.ext.allow=never',
  'protocol.file.allow=always',
  'protocol.https.allow=always',
  'protocol.http.allow=always',
  'protocol.ssh.allow=always',
  'http.followRedirects=initial',
  'submodule.recurse=false',
  'transfer.bundleURI=false',
];

// The variables that git, ssh and their proxies need. No others are passed on.
const passed = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'LANG', 'SystemRoot', 'SSH_AUTH_SOCK', 'XDG_CONFIG_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'ALL_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'USERPROFILE', 'APPDATA', 'COMSPEC', 'PATHEXT'],
];
const longest = 300_000; // The time limit for one call, in milliseconds.

/**
 * Runs git without prompts, hooks, the configuration of the system, or protocols that start programs. Throws
 * `source.unreachable` if git fails; `details` is then the end of what git wrote.
 */
export async function runGit({ args, folder, context, url, input = '', signal }: GitRun): Promise<Buffer> {
  const environment = Object.fromEntries(
    passed.flatMap((name) => {
      const value = context.environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  using limit = deadline(longest, undefined, signal ?? context.signal);
  const child = spawn('git', [...settings.flatMap((one) => ['-c', one]), ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...environment,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
      GCM_INTERACTIVE: 'never',
      GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
      GIT_ALLOW_PROTOCOL: 'file:http:https:ssh',
      GIT_LFS_SKIP_SMUDGE: '1',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_DIR: folder,
    },
  });
  using _kill = onAbort(limit.signal, () => void child.kill('SIGKILL'));
  const output: Buffer[] = [];
  let size = 0;
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk);
    size += chunk.length;
    if (size > sourceLimits.unpacked) child.kill('SIGKILL');
  });
  child.stderr.on(
    'data',
    (chunk: Buffer) => void (errors = `${errors}${chunk.toString('utf8')}`.slice(-2_000)),
  );
  child.stdin.on('error', () => undefined); // Git ended before it read everything, and says why.
  child.stdin.end(input);
  const ended = await new Promise<number | Error | null>((resolve) => {
    child.on('error', resolve);
    child.on('close', resolve);
  });
  if (ended === 0) return Buffer.concat(output);
  signal?.throwIfAborted();
  context.signal?.throwIfAborted();
  if (ended instanceof Error)
    throw new AgentError('source.unreachable', 'git cannot be started, and repositories need it.', {
      hint: 'Install git, or add the skill from an archive.',
      cause: ended,
    });
  const line =
    errors.split('\n').findLast((one) => /^(?:fatal|error|remote):/.test(one)) ?? 'it took too long';
  throw new AgentError('source.unreachable', `${url} cannot be fetched: ${line.slice(0, 300)}.`, {
    hint: 'Check the address, your access to the repository, and the connection.',
    ...optional('details', errors === '' ? undefined : errors),
  });
}
