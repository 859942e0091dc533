import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineSkill } from '../core/define-skill.ts';
import { builtinFamilies } from '../families/index.ts';
import type { Applicant } from './collisions.ts';
import { applicantOf } from './made.ts';
import { createOwnSnapshots } from './own-snapshots.ts';
import { buildRegistry, type Registry } from './registry.ts';

function registryOf(...applicants: readonly Applicant[]): Registry {
  const world = {
    platform: 'linux',
    has: () => true,
    skills: {},
    settings: {},
    environment: () => undefined,
  };
  return buildRegistry(applicants, builtinFamilies, world as never, []);
}

function applicant(name: string): Applicant {
  const made = defineSkill({ name, description: 'Does it.', run: () => ({ status: 'done', text: '' }) });
  return applicantOf(made, builtinFamilies, 'explicit');
}

describe('snapshots with one more skill', () => {
  const builds: string[] = [];
  const snapshotWith = createOwnSnapshots((name, own) => {
    builds.push(name);
    return registryOf(own);
  });
  const common = registryOf();

  test('are made once, for as long as the common one stays', () => {
    const one = applicant('one');
    const { registry, skill } = snapshotWith(common, one);
    assert.equal(skill.name, 'one');
    assert.equal(snapshotWith(common, one).registry, registry);
    assert.notEqual(snapshotWith(registryOf(), one).registry, registry);
    assert.deepEqual(builds.splice(0), ['one', 'one']);
  });

  test('of thousands of skills are not all kept: each is as large as the common one', () => {
    const many = Array.from({ length: 100 }, (_, index) => applicant(`many-${index}`));
    for (const one of many) snapshotWith(common, one);
    builds.length = 0;
    for (const one of [...many.slice(-10), ...many.slice(0, 10)]) snapshotWith(common, one);
    assert.deepEqual(
      builds,
      Array.from({ length: 10 }, (_, index) => `many-${index}`),
    );
  });
});
