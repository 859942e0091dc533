import { zipSync, type ZipOptions } from 'fflate';
import { byCodeUnits, type JsonObject } from '../core/index.ts';
import { digestBytes, type BundleFile } from '../files/index.ts';
import type { OfferedSkill } from './find-bundles.ts';
import { indexPath } from './site.ts';

/** An archive of a skill, and its digest. */
interface PackedSkill {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/**
 * Packs a skill as a zip archive. The same files give the same bytes on every machine: entries are sorted,
 * have no times, and are compressed by code of this package.
 */
export function packSkill(files: readonly BundleFile[]): PackedSkill {
  const sorted = [...files].sort((a, b) => byCodeUnits(a.path, b.path));
  const entries = sorted.map(({ path, bytes, isProgram }): [string, [Uint8Array, ZipOptions]] => {
    const mode = isProgram === true ? 0o100755 : 0o100644;
    return [path, [bytes, { level: 9, os: 3, attrs: mode << 16, mtime: earliest() }]];
  });
  const bytes = zipSync(Object.fromEntries(entries));
  return { bytes, digest: digestBytes(bytes) };
}

/** Returns the earliest time of a zip archive. It is read in local time, so it is built in local time. */
function earliest(): Date {
  return new Date(1980, 0, 1);
}

/** A skill to publish, with its files. */
export interface PublishedSkill {
  readonly skill: OfferedSkill;
  readonly files: readonly BundleFile[];
}

const schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/**
 * Returns the files of a registry for a static web server, by path: an index with digests, and one archive per
 * skill. A skill that is only a descriptor is published as such.
 */
export function publishSkills(skills: readonly PublishedSkill[]): ReadonlyMap<string, Uint8Array> {
  const folder = indexPath.slice(0, indexPath.lastIndexOf('/'));
  const files = new Map<string, Uint8Array>();
  const sorted = [...skills].sort((a, b) => byCodeUnits(a.skill.name, b.skill.name));
  const entries = sorted.map(({ skill, files: own }): JsonObject => {
    const [only] = own;
    const isSingle = own.length === 1 && only?.isProgram !== true;
    const bytes = isSingle && only !== undefined ? only.bytes : packSkill(own).bytes;
    const url = isSingle ? `${skill.name}/${skill.descriptor}` : `${skill.name}.zip`;
    files.set(`${folder}/${url}`, bytes);
    return {
      name: skill.name,
      type: isSingle ? 'skill-md' : 'archive',
      description: skill.card.description,
      url,
      digest: digestBytes(bytes),
    };
  });
  const index = `${JSON.stringify({ $schema: schema, skills: entries }, undefined, 2)}\n`;
  files.set(indexPath, Buffer.from(index));
  return files;
}
