import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AgentError, isAgentError } from '../core/index.ts';
import { digestFolder } from '../files/index.ts';
import { bundleChanged, copyBundle, giveTo } from './copy-bundle.ts';
import { hashFile, syncFile, syncFolder } from './file-access.ts';
import { manifestPath, manifestText, readManifest, type Manifest, type ManifestEntry } from './manifest.ts';
import { createCopiedSources, stagingFiles, type StagingFiles } from './staging-files.ts';
import { notWritable, placeOf, type GenerationPlace } from './state-folder.ts';
import { clearFailure } from './status.ts';
import { discard, isStill, isSwapOpen, swapIn } from './swap.ts';

/** A copy of a whole bundle in which its code is made anew, out of everybody's sight. */
export interface Staging extends StagingFiles, Disposable {
  /** Where the copy lies; packages of the bundle are found from there. */
  readonly folder: string;
  /** The digest of the bundle that was copied. */
  readonly origin: string;
  /** The text of a source file, by target; undefined where there is none. Throws `skill.changed` when somebody else wrote it. */
  read(target: string): string | undefined;
  write(target: string, text: string): void;
  remove(target: string): void;
  /**
   * Writes the manifest and gives the digest that the bundle will have once this is put in its place. A file that was
   * not written here stays what the manifest called it before, so that nothing written by hand is ever taken for made.
   * Throws `skill.changed` when anybody else wrote to the source files of the copy: nobody vouches for that.
   */
  finish(
    manifest: Omit<Manifest, 'files' | 'version'> & {
      readonly files: Readonly<Record<string, { readonly spec: string; readonly inputs: string }>>;
    },
  ): string;
  /**
   * Puts its source files in the place of those of the bundle, all or none, however this process ends, and forgets the
   * last failure. Throws `skill.changed` when anything in the bundle is not as it was copied, and `skill.failed` when
   * the new code is not as it was finished.
   */
  putInPlace(): void;
}

/**
 * Copies a bundle; only inside `withGeneration`. Throws `skill.invalid` for one with something in it that cannot be
 * copied, `skill.failed` for one that cannot be read or written, and `skill.changed` for one that does not stand still.
 */
export function openStaging(dir: string): Staging {
  const place = placeOf(dir);
  const name = `staging-${randomUUID()}`;
  const staging = join(place.folder, name);
  const folder = join(staging, 'copy');
  const origin = copyBundle(place, staging);
  const before = readManifest(place.bundle).manifest;
  const files = stagingFiles(folder);
  const src = join(folder, 'src');
  const sources = createCopiedSources(join(place.bundle, 'src'), src);
  const written = new Set<string>();
  let finished: string | undefined;
  return {
    folder,
    origin,
    read(target) {
      const text = files.read(target);
      if (!sources.isOurs(target)) throw copyChanged(place);
      return text;
    },
    write(target, text) {
      files.write(target, text);
      sources.note(target, text);
      written.add(target);
    },
    remove(target) {
      files.remove(target);
      sources.forget(target);
      written.delete(target);
    },
    finish({ files: given, ...manifest }) {
      const entries = Object.entries(given).flatMap(([target, made]) => {
        const output = written.has(target) ? hashFile(join(src, target)) : outputOf(before, target);
        return output === undefined ? [] : [[target, { ...made, output }] satisfies [string, ManifestEntry]];
      });
      const text = manifestText({ ...manifest, version: 1, files: Object.fromEntries(entries) });
      writeManifest(folder, text);
      sources.note(basename(manifestPath), text);
      finished = digestFolder(src);
      const foretold = digestFolder(folder);
      if (!sources.areOurs()) throw copyChanged(place);
      return foretold;
    },
    putInPlace() {
      if (finished === undefined || !isStill(src, finished)) throw notFinished(place);
      try {
        syncAll(src);
        if (!isStill(place.bundle, origin)) throw bundleChanged(place);
        swapIn(place, { staging: name, origin });
      } catch (thrown) {
        throw isAgentError(thrown) ? thrown : notWritable(place.bundle, join(place.bundle, 'src'), thrown);
      }
      clearFailure(dir);
      discard(staging);
    },
    [Symbol.dispose]() {
      if (!isSwapOpen(place)) discard(staging); // else what is left of the old code may lie there
    },
  };
}

function notFinished({ bundle }: GenerationPlace): AgentError {
  return new AgentError('skill.failed', `The new code of ${bundle} is not what was finished.`, {
    hint: 'Generate it again, and let nothing write to the copy meanwhile.',
  });
}

function copyChanged({ bundle }: GenerationPlace): AgentError {
  const message = `Somebody else wrote to the copy of ${bundle} in which its code was generated.`;
  return new AgentError('skill.changed', message, {
    hint: 'Generate it again, and let nothing write to the copy meanwhile.',
  });
}

function outputOf(manifest: Manifest | undefined, target: string): string | undefined {
  return manifest !== undefined && Object.hasOwn(manifest.files, target)
    ? manifest.files[target]?.output
    : undefined;
}

function writeManifest(folder: string, text: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  const file = join(folder, manifestPath);
  discard(file);
  writeFileSync(file, text, { flag: 'wx' });
  giveTo(file, lstatSync(folder));
}

/** Waits until the disk has everything in a folder. */
function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) syncFile(path);
    else if (entry.isDirectory()) syncFolder(path);
  }
  syncFolder(folder);
}
