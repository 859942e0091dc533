import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The skill loader of another project. `load` loads a folder of skills and returns their number. */
export interface Peer {
  readonly name: string;
  load(root: string): number;
}

interface PiModule {
  loadSkillsFromDir(options: { dir: string; source: string }): { skills: readonly unknown[] };
}

/**
 * Installs the other projects unless `entry` already exists. Returns whether it exists afterwards, and prints
 * a note if the installation fails.
 */
export function installPeers(entry: string): boolean {
  try {
    if (existsSync(entry)) return true;
    process.stderr.write('Installing the peers to measure against …\n');
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: import.meta.dirname,
      stdio: 'ignore',
      timeout: 300_000,
    });
    return existsSync(entry);
  } catch (thrown) {
    process.stderr.write(
      `Without peers: ${thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)}\n`,
    );
    return false;
  }
}

/** Returns the other projects that can be installed on this machine. */
export async function peers(): Promise<readonly Peer[]> {
  const entry = join(import.meta.dirname, 'node_modules/@earendil-works/pi-coding-agent/dist/index.js');
  if (!installPeers(entry)) return [];
  const pi = (await import(entry)) as PiModule;
  return [
    {
      name: 'pi 0.87.1',
      load: (root) => pi.loadSkillsFromDir({ dir: root, source: 'bench' }).skills.length,
    },
  ];
}
