import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A loader of another project, called on a folder of skills; returns how many it loaded. */
export interface Peer {
  readonly name: string;
  load(root: string): number;
}

interface PiModule {
  loadSkillsFromDir(options: { dir: string; source: string }): { skills: readonly unknown[] };
}

/** The peers that can be installed here; one that cannot is left out with a note. */
export async function peers(): Promise<readonly Peer[]> {
  const folder = import.meta.dirname;
  const entry = join(folder, 'node_modules/@earendil-works/pi-coding-agent/dist/index.js');
  try {
    if (!existsSync(entry)) {
      process.stderr.write('Installing the peers to measure against …\n');
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        stdio: 'ignore',
        timeout: 300_000,
      });
    }
    const pi = (await import(entry)) as PiModule;
    return [
      {
        name: 'pi 0.87.1',
        load: (root) => pi.loadSkillsFromDir({ dir: root, source: 'bench' }).skills.length,
      },
    ];
  } catch (thrown) {
    process.stderr.write(
      `Without peers: ${thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)}\n`,
    );
    return [];
  }
}
