import { hash } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, symlinkSync, writeSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { AgentError, isAgentError, reasonOf } from '../../core/index.ts';
import { below, digestFile, isWithin, type DigestCopy } from '../../files/index.ts';
import { entriesOf } from './bundle-files.ts';
import { digestNow } from './digest.ts';
import { digestShared, digestWith, type Filed, type LinkTarget } from './fresh-digest.ts';
import { sharedModules, type SharedModule } from './shared-modules.ts';
import { targetOf } from '../discover/links.ts';

/** The properties of a skill that are needed to copy its files. */
export type CopiedSkill = Filed & { readonly name: string };

const sharedFolder = '.skilled-shared';

/** Returns the path of a shared module's copy in the copy of a bundle. */
export function copyOfShared(copy: string, { name }: SharedModule): string {
  return join(copy, sharedName(name));
}

function sharedName(name: string): string {
  return join(sharedFolder, hash('sha256', name));
}

/**
 * Copies the files of a bundle and its shared modules, and returns the digest of the copy. A link to a target inside the bundle
 * points to the same target in the copy. A link to a file outside the bundle is replaced with a copy of that
 * file. Omits broken links and special files.
 */
export function copyBundle(skill: CopiedSkill, to: string, maxBytes: number): string {
  const { copy, links } = copyInto(to, maxBytes, skill.name);
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
    const shared = sharedModules(skill);
    if (shared.length > 0) copy.addFolder(Buffer.from(sharedFolder));
    const modules = shared.map((module) => digestShared(module, renamed(copy, sharedName(module.name))));
    return digestWith(skill, own, [...targets, ...modules]);
  } catch (thrown) {
    if (thrown instanceof Unwritable || isAgentError(thrown)) throw thrown;
    throw filesChanged(skill.name); // A file that the digest covers can no longer be read.
  }
}

/** Thrown if a copy cannot be written. The bundle may still be valid. */
class Unwritable extends Error {}

function writing<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    throw new Unwritable(reasonOf(thrown), { cause: thrown });
  }
}

/**
 * Returns functions that write a copy to a folder. No other user can enter the folder, so its paths cannot be
 * replaced. The functions use default file modes instead of the bundle's, because scripts copy templates and
 * then write to the copies.
 */
function copyInto(
  to: string,
  maxBytes: number,
  skill: string,
): { readonly copy: DigestCopy; readonly links: ReadonlySet<string> } {
  const links = new Set<string>();
  const pathOf = (name: Buffer): Buffer => Buffer.concat([Buffer.from(to + sep), name]);
  let bytesLeft = maxBytes;
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
          if (bytesLeft < 0) throw filesChanged(skill); // The file has grown since its size was read.
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

/** Creates the error for a skill whose files changed after the user allowed it to run. */
export function filesChanged(name: string): AgentError {
  return new AgentError('skill.changed', `The files of "${name}" changed after it was allowed to run.`, {
    hint: 'Run it again.',
  });
}
