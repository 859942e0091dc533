import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AgentError, isAgentError } from '../core/index.ts';
import { digestFolder } from '../files/index.ts';
import { bundleChanged, copyBundle, giveTo } from './copy-bundle.ts';
import { hashFile, syncFile, syncFolder } from './file-access.ts';
import { manifestPath, manifestText, readManifest, type Manifest, type ManifestEntry } from './manifest.ts';
import { createCopiedSources, stagingFiles, type StagingFiles } from './staging-files.ts';
import { notWritable, generationPaths, type GenerationPaths } from './state-folder.ts';
import { clearFailure } from './status.ts';
import { discard, isStill, isSwapOpen, swapIn } from './swap.ts';

/** A hidden copy of a bundle. New code is generated in the copy before it replaces the old code. */
export interface Staging extends StagingFiles, Disposable {
  /** The folder of the copy. Imports of packages resolve in the same way as in the bundle. */
  readonly folder: string;
  /** The digest of the bundle at the time when it was copied. */
  readonly origin: string;
  /**
   * Returns the text of a source file, or undefined if the file does not exist. Throws `skill.changed` if
   * another program has changed the file.
   */
  read(target: string): string | undefined;
  write(target: string, text: string): void;
  remove(target: string): void;
  /**
   * Writes the manifest. Returns the digest that the bundle will have after `commit`. Files that were not
   * generated in this copy keep their hashes from the previous manifest, so handwritten code is never
   * recorded as generated. Throws `skill.changed` if another program has changed the source files in the
   * copy.
   */
  finish(
    manifest: Omit<Manifest, 'files' | 'version'> & {
      readonly files: Readonly<Record<string, { readonly spec: string; readonly inputs: string }>>;
    },
  ): string;
  /**
   * Replaces all source files of the bundle with those of the copy. Never replaces only some of them, even if
   * this process is killed. Clears the stored failure. Throws `skill.changed` if the bundle has changed since
   * it was copied, and `skill.failed` if the new code has changed since `finish`.
   */
  commit(): void;
}

/**
 * Creates a hidden copy of a bundle. Call this only inside `withGeneration`. Throws `skill.invalid` if an
 * entry of the bundle cannot be copied, `skill.failed` if the bundle cannot be read or the copy cannot be
 * written, and `skill.changed` if the bundle keeps changing.
 */
export function openStaging(dir: string): Staging {
  const paths = generationPaths(dir);
  const name = `staging-${randomUUID()}`;
  const staging = join(paths.folder, name);
  const folder = join(staging, 'copy');
  const origin = copyBundle(paths, staging);
  const before = readManifest(paths.bundle).manifest;
  const files = stagingFiles(folder);
  const src = join(folder, 'src');
  const sources = createCopiedSources(join(paths.bundle, 'src'), src);
  const written = new Set<string>();
  let finished: string | undefined;
  return {
    folder,
    origin,
    read(target) {
      const text = files.read(target);
      if (!sources.isOurs(target)) throw copyChanged(paths);
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
      const entries = Object.entries(given).flatMap(([target, entry]) => {
        const output = written.has(target) ? hashFile(join(src, target)) : outputOf(before, target);
        return output === undefined ? [] : [[target, { ...entry, output }] satisfies [string, ManifestEntry]];
      });
      const text = manifestText({ ...manifest, version: 1, files: Object.fromEntries(entries) });
      writeManifest(folder, text);
      sources.note(basename(manifestPath), text);
      finished = digestFolder(src);
      const foretold = digestFolder(folder);
      if (!sources.areOurs()) throw copyChanged(paths);
      return foretold;
    },
    commit() {
      if (finished === undefined || !isStill(src, finished)) throw notFinished(paths);
      try {
        syncAll(src);
        if (!isStill(paths.bundle, origin)) throw bundleChanged(paths);
        swapIn(paths, { staging: name, origin });
      } catch (thrown) {
        throw isAgentError(thrown) ? thrown : notWritable(paths.bundle, join(paths.bundle, 'src'), thrown);
      }
      clearFailure(dir);
      discard(staging);
    },
    [Symbol.dispose]() {
      // While a code swap is unfinished, the staging folder may contain the old code.
      if (!isSwapOpen(paths)) discard(staging);
    },
  };
}

function notFinished({ bundle }: GenerationPaths): AgentError {
  return new AgentError(
    'skill.failed',
    `The generated code for ${bundle} was changed after generation finished.`,
    {
      hint: 'Generate the code again, and make sure that nothing writes to the copy in the meantime.',
    },
  );
}

function copyChanged({ bundle }: GenerationPaths): AgentError {
  const message = `Something else wrote to the copy of ${bundle} during code generation.`;
  return new AgentError('skill.changed', message, {
    hint: 'Generate the code again, and make sure that nothing writes to the copy in the meantime.',
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

/** Waits until all contents of a folder have been written to disk. */
function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) syncFile(path);
    else if (entry.isDirectory()) syncFolder(path);
  }
  syncFolder(folder);
}
