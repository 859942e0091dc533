import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthetic } from './data.ts';
import { alternate, ratioRow, type Row } from './measure.ts';

const rounds = 25;
const skills = 50;

/**
 * E4: compares processes of the CLI, both from the packed build and from source, with a Node process that
 * does nothing.
 */
export async function startUp(scratch: string, packed: string): Promise<readonly Row[]> {
  const folder = join(scratch, 'start-up');
  mkdirSync(folder);
  const { root: project } = synthetic(skills, folder);
  writeFileSync(join(project, 'note.txt'), 'A note.\n');
  const home = join(folder, 'home');
  mkdirSync(home);
  const node = (...args: readonly string[]) => runNode(args, project, home);
  const entryPoints = {
    'from the package': packed,
    'from sources': join(import.meta.dirname, '../src/cli/main.ts'),
  };
  const rows: Row[] = [];
  for (const [origin, main] of Object.entries(entryPoints)) {
    const list = ['list', '--skills', project];
    const things = {
      nothing: () => node('-e', '0'),
      version: () => node(main, '--version'),
      list: () => node(main, ...list),
      run: () => node(main, 'run', '/read', '--file_path', 'note.txt'),
    };
    await alternate(2, things); // fills the caches of the machine and the package
    const times = await alternate(rounds, things);
    const row = (what: string, thing: 'version' | 'list' | 'run', aim?: number): Row => {
      const whole = ratioRow('E4', `${what}, ${origin}`, times[thing], times.nothing, aim ?? 0);
      const { id, what: said, figure } = whole;
      return origin === 'from sources' || aim === undefined ? { id, what: said, figure } : whole;
    };
    rows.push(
      row('skilled --version against node -e 0', 'version', 1.5),
      row(`skilled list with ${skills} skills`, 'list', 3),
      row('skilled run of a skill that reads a file', 'run'),
    );
  }
  return rows;
}

/**
 * Runs one process until it exits. The process has its own home folder and does not inherit the settings of
 * this process.
 */
function runNode(args: readonly string[], cwd: string, home: string): void {
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { HOME: home, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${String(status)}: ${stderr}`);
}
