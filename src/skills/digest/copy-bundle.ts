import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, symlinkSync, writeSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import { below, digestFile, isWithin, type DigestCopy } from '../../files/index.ts';
import { entriesOf } from './bundle-files.ts';
import { digestNow } from './digest.ts';
import { digestWith, type Filed, type LinkTarget } from './fresh-digest.ts';
import { targetOf } from '../discover/links.ts';

/** A skill as far as it is copied. */
export type CopiedSkill = Filed & { readonly name: string };

/**
 * Copies the files of a bundle and gives the digest of what was copied. A link to something in the bundle leads to the
 * same in the copy; one that leads out becomes the file at its end; what leads to nothing, and what is not a file, is
 * left out.
 */
export function copyBundle(skill: CopiedSkill, to: string, mostBytes: number): string {
  const { copy, links } = copyInto(to, mostBytes, skill.name);
  try {
    const own = digestNow(skill, false, copy);
    const home = realpathSync.native(skill.dir);
    const targets: LinkTarget[] = [];
    for (const { path, stats } of entriesOf(skill.dir, () => undefined)) {
      if (stats?.isSymbolicLink() !== true) continue;
      const name = below(skill.dir, path);
      const target = links.has(name) ? targetOf(path) : undefined;
      if (target === undefined) targets.push([name, 'nothing']);
      else if (isWithin(target.real, home))
        symlinkSync(relative(dirname(join(home, name)), target.real) || '.', join(to, name));
      else targets.push([name, digestFile(target.real, renamed(copy, name))]);
    }
    return digestWith(own, targets);
  } catch (thrown) {
    if (thrown instanceof Unwritable || isAgentError(thrown)) throw thrown;
    throw filesChanged(skill.name); // files that were there when the digest was computed cannot be read any more
  }
}

/** Why a copy cannot be written, which says nothing about the bundle. */
class Unwritable extends Error {}

function writing<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    throw new Unwritable(reasonOf(thrown), { cause: thrown });
  }
}

/**
 * Writes into a folder that nobody else can enter, so that paths in it mean what they say. Modes are the usual ones, whatever
 * those of the bundle are: scripts copy templates out of it and write to them.
 */
function copyInto(
  to: string,
  mostBytes: number,
  skill: string,
): { readonly copy: DigestCopy; readonly links: ReadonlySet<string> } {
  const links = new Set<string>();
  const pathOf = (name: Buffer): Buffer => Buffer.concat([Buffer.from(to + sep), name]);
  let bytesLeft = mostBytes;
  const copy: DigestCopy = {
    addFolder(name) {
      writing(() => {
        mkdirSync(pathOf(name));
        chmodSync(pathOf(name), 0o755);
      });
    },
    addLink: (name) => void links.add(name.toString()),
    addFile(name, isProgram) {
      const path = pathOf(name);
      const handle = writing(() => openSync(path, 'wx', 0o600));
      return {
        write(bytes) {
          bytesLeft -= bytes.length;
          if (bytesLeft < 0) throw filesChanged(skill); // it was smaller a moment ago
          writing(() => {
            for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
          });
        },
        [Symbol.dispose]() {
          closeSync(handle);
          writing(() => chmodSync(path, isProgram ? 0o755 : 0o644));
        },
      };
    },
  };
  return { copy, links };
}

function renamed(copy: DigestCopy, name: string): DigestCopy {
  return { ...copy, addFile: (_, isProgram) => copy.addFile(Buffer.from(name), isProgram) };
}

/** The files are not those that were allowed. */
export function filesChanged(name: string): AgentError {
  return new AgentError('skill.changed', `The files of "${name}" changed after it was allowed to run.`, {
    hint: 'Run it again.',
  });
}
