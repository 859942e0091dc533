import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** The skill loader of another project. `load` loads a folder of skills and returns their number. */
export interface Peer {
  readonly name: string;
  load(root: string): number;
}

interface PiModule {
  loadSkillsFromDir(options: { dir: string; source: string }): { skills: readonly unknown[] };
}

/** The part of OpenClaw's loader that reads folders. It has no public entry, and its exports are renamed. */
interface OpenClawModule {
  readonly o: (request: {
    readonly sourcePlan: object;
    readonly limits: object;
    readonly additionalBins: readonly string[];
  }) => { readonly entries: readonly unknown[] };
}

/**
 * The folder in which the other projects are installed. It is not above our own files, so that these never
 * load the dependencies of other projects.
 */
export const otherProjects = join(import.meta.dirname, 'other-projects');

/**
 * Installs the other projects unless `entry` already exists. Returns whether it exists afterwards, and prints
 * a note if the installation fails.
 */
export function installPeers(entry: string): boolean {
  try {
    if (existsSync(entry)) return true;
    process.stderr.write('Installing the peers to measure against …\n');
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: otherProjects,
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
  const entry = join(otherProjects, 'node_modules/@earendil-works/pi-coding-agent/dist/index.js');
  if (!installPeers(entry)) return [];
  const pi = (await import(entry)) as PiModule;
  process.env['OPENCLAW_LOG_LEVEL'] = 'silent'; // it prints each collision of names
  const folder = join(otherProjects, 'node_modules/openclaw/dist');
  const [loader = ''] = globSync('workspace-skill-loader-*.mjs', { cwd: folder });
  const openClaw = (await import(join(folder, loader))) as OpenClawModule;
  const most = 1_000_000;
  const limits = { maxCandidatesPerRoot: most, maxSkillsLoadedPerSource: most, maxSkillFileBytes: most };
  return [
    {
      name: 'pi 0.87.1',
      load: (root) => pi.loadSkillsFromDir({ dir: root, source: 'bench' }).skills.length,
    },
    {
      name: 'OpenClaw 2026.9.6',
      load(root) {
        const roots = [{ tier: 'extra', dir: root, source: 'openclaw-extra', order: 0 }];
        const sourcePlan = { workspaceDir: root, allowSymlinkTargets: [], roots };
        return openClaw.o({ sourcePlan, limits, additionalBins: [] }).entries.length;
      },
    },
  ];
}
