import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applicant, bareWorld, type SkillFixture } from '../../../test/support/registry.ts';
import { builtinFamilies } from '../../families/index.ts';
import { changeBetween } from './changes.ts';
import type { Applicant } from './collisions.ts';
import { editRegistry } from './edit-registry.ts';
import { buildRegistry, type Registry } from './registry.ts';

const build = (applicants: readonly Applicant[]): Registry =>
  buildRegistry(applicants, builtinFamilies, bareWorld, []);

const names = [...'a b c d e f g h i j k l m n o p q r s t'.split(' '), 'ä', 'а'];

/** Everything that a reader can see of a registry. */
function viewOf({ skills, issues, lookup }: Registry): object {
  const asked = [...names, ...names.flatMap((name) => [`project:${name}`, `other-${name}`, `${name}-mcp`])];
  return {
    skills: skills.map((skill) => skill.toJSON()),
    issues,
    found: asked.map((name) => lookup.find(name)?.file),
    near: lookup.near('bb'),
  };
}

function edited({ origin, draft }: Applicant, change: Partial<Applicant['draft']>): Applicant {
  return { origin, draft: { ...draft, ...change } };
}

const fixture: fc.Arbitrary<SkillFixture> = fc.record({
  name: fc.constantFrom(...names),
  family: fc.constantFrom('agent-skill', 'mcp'),
  source: fc.constantFrom('project', 'user'),
  invalid: fc.constantFrom(false, false, false, true),
});

const change = fc.record({
  at: fc.nat(100),
  what: fc.constantFrom('text', 'text', 'text', 'name', 'alias', 'requires', 'unusable', 'nothing'),
  to: fc.constantFrom(...names),
});

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function draftFor({ what, to }: Change, number: number, { draft }: Applicant): Partial<Applicant['draft']> {
  const sum = String(number);
  const card = { ...draft.card, description: `Text ${number}.` };
  if (what === 'text') return { sum, card };
  if (what === 'name') return { sum, name: to };
  if (what === 'alias') return { sum, card: { ...card, aliases: [`other-${to}`] } };
  if (what === 'requires') return { sum, card: { ...card, requires: { bins: [to] } } };
  return { sum, usable: draft.usable && what !== 'unusable' };
}

test('after random edits the registry and the reported changes equal those of a new one', () => {
  let applied = 0;
  fc.assert(
    fc.property(
      fc.array(fixture, { minLength: 1, maxLength: 8 }),
      fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
      (fixtures, rounds) => {
        const current = fixtures.map((one, index) =>
          applicant({ ...one, file: `/skills/${index}/SKILL.md`, root: '/skills' }),
        );
        let registry = build(current);
        let number = 0;
        for (const changes of rounds) {
          const edits = changes.map((one) => {
            const index = one.at % current.length;
            const before = current[index] as Applicant;
            const after = one.what === 'nothing' ? before : edited(before, draftFor(one, ++number, before));
            current[index] = after;
            return { before, after };
          });
          const result = editRegistry(registry, edits, [], () => false);
          const cold = build(current);
          if (result !== undefined) {
            applied++;
            assert.deepEqual(viewOf(result.registry), viewOf(cold));
            assert.deepEqual(
              result.change,
              changeBetween(registry, cold, () => false),
            );
          }
          registry = result?.registry ?? cold;
        }
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(applied > 100);
});

test('an edit of one of many skills leaves the records of the others as they are', () => {
  const all = names.slice(0, 5).map((name) => applicant({ name }));
  const before = build(all);
  const [first] = all as [Applicant];
  const after = edited(first, { card: { description: 'New.' }, sum: '2' });
  const result = editRegistry(before, [{ before: first, after }], [], () => false);
  assert.deepEqual(result?.change, { added: [], updated: ['a'], removed: [] });
  const { skills, lookup } = result.registry;
  assert.deepEqual(
    skills.map((skill, index) => skill === before.skills[index]),
    [false, true, true, true, true],
  );
  assert.equal(lookup.find('a')?.card.description, 'New.');
  assert.equal(before.lookup.find('a')?.card.description, 'Does a.');
});

test('a change beside a descriptor is reported, and the record stays', () => {
  const one = applicant({ name: 'a' });
  const before = build([one, applicant({ name: 'b' })]);
  const result = editRegistry(before, [{ before: one, after: one }], [], ({ name }) => name === 'a');
  assert.deepEqual(result?.change?.updated, ['a']);
  assert.equal(result.registry.skills[0], before.skills[0]);
});
