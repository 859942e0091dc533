import {
  limitFlags,
  limitFlagsHelp,
  modelFlags,
  modelFlagsHelp,
  type CliCommand,
} from '../../command-kit.ts';
import { portOf, usualPort } from './serve.ts';
import { serveProject } from './serving.ts';

const drainMs = 1_500; // The time for runs to end after Ctrl+C, in milliseconds. They can be resumed later.

/** `skilled dev`: serves skills on this machine while their author works on them. */
export const dev: CliCommand = {
  summary: 'Serve skills on this machine while you work on them.',
  usage: `Usage: skilled dev [flags]

Like "skilled serve", for one person: listens only on this machine, needs no keys, and
uses the next free port if another program uses this one. Changes of skills take effect
at once.

  skilled dev
  curl -s localhost:${usualPort}/v1/skills

  --port <number>       the port, default ${usualPort}; 0 for any free port
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: { port: { type: 'string' }, ...limitFlags, ...modelFlags },
  run: (invocation) =>
    serveProject(invocation, {
      where: { host: '127.0.0.1', port: portOf(invocation) },
      triesNextPort: true,
      drainMs,
    }),
};
