import { basename } from 'node:path';
import { below } from '../files/paths.ts';
import { entriesOf } from './bundle-entries.ts';
import type { Filed } from './fresh-digest.ts';

const programs =
  /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl|php|lua|[cm]?[jt]sx?|wasm|jar|exe|dll|so|dylib|node)$/i;

/** The files of a skill that can run, as paths from its folder: scripts, programs, and its descriptor if that has code. For people: what decides is that some can. */
export function codeFilesOf(skill: Filed, descriptorRuns: boolean): readonly string[] {
  const own = descriptorRuns ? [basename(skill.file)] : [];
  if (skill.loose) return own;
  const others = [...entriesOf(skill.dir, () => undefined)].flatMap(({ path, stats }) => {
    if (path === skill.file || stats?.isDirectory() !== false) return [];
    const name = below(skill.dir, path);
    const isProgram = stats.isFile() && (stats.mode & 0o111) !== 0;
    return isProgram || programs.test(name) || /^scripts[/\\]/.test(name) ? [name] : [];
  });
  return [...own, ...others.sort()];
}
