import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AgentOptions } from '../../src/agent/options.ts';
import { sourceUrl } from './source-file.ts';

/** The files and modules that a process accessed, one line each. */
export interface Touched {
  /** Accesses between the package's import and the end of the constructor. */
  readonly whenCreated: readonly string[];
  /** Whether the process accessed a path that contains the given name before the agent was ready. */
  readonly isFoundWhenReady: boolean;
}

/** Creates an agent in a new process that records every accessed file and loaded module. */
export async function touchedByMaking(options: AgentOptions, name: string): Promise<Touched> {
  const program = `
    import { registerHooks, syncBuiltinESMExports } from 'node:module';
    import fs from 'node:fs';
    const { RecursiveSkilledAgent } = await import(${JSON.stringify(sourceUrl('src/config/preset.ts'))});
    const seen = [];
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
    for (const place of [fs, fs.promises])
      for (const [name, original] of Object.entries(place))
        if (typeof original === 'function' && /^[a-z]/.test(name))
          place[name] = Object.assign((...given) => (seen.push(name + ' ' + given[0]), original(...given)), original);
    syncBuiltinESMExports();
    const agent = new RecursiveSkilledAgent(${JSON.stringify(options)});
    const whenCreated = [...seen];
    await agent.ready();
    const isFoundWhenReady = seen.some((line) => line.includes(${JSON.stringify(name)}));
    await agent.shutdown();
    process.stdout.write(JSON.stringify({ whenCreated, isFoundWhenReady }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return JSON.parse(stdout) as Touched;
}
