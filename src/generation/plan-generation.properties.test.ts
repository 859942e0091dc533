import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { generate, recipe, statuses } from '../../test/support/generation-stage.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { planGeneration } from './plan-generation.ts';

/** A spec that may depend on the specs before it. */
interface Drawn {
  readonly name: string;
  readonly needs: readonly number[];
}

const names = fc.uniqueArray(fc.stringMatching(/^[a-c]{1,2}(?:\/[d-f]{1,2}){0,2}$/), {
  minLength: 1,
  maxLength: 7,
});

const drawn: fc.Arbitrary<readonly Drawn[]> = names.chain((found) =>
  fc.tuple(...found.map((name, index) => drawnAt(name, index))),
);

function drawnAt(name: string, index: number): fc.Arbitrary<Drawn> {
  const before = index === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat({ max: index - 1 }), { maxLength: 3 });
  return before.map((needs) => ({ name, needs }));
}

function textOf(specs: readonly Drawn[], { needs }: Drawn, more = ''): string {
  const lines = needs.map((index) => `- ${specs[index]?.name ?? ''}.ts - x : because`);
  return `# Spec\n${more}\n## Dependencies\n\n${lines.join('\n')}\n`;
}

function plant(specs: readonly Drawn[], folder: string): Tree {
  const base = tree();
  for (const spec of specs) base.write(`${folder}/specs/${spec.name}.md`, textOf(specs, spec));
  return base;
}

/** Returns a spec and everything that depends on it, directly or indirectly. */
function dependents(specs: readonly Drawn[], changed: number): ReadonlySet<string> {
  const found = new Set([changed]);
  for (const [index, { needs }] of specs.entries()) if (needs.some((one) => found.has(one))) found.add(index);
  return new Set([...found].map((index) => `${specs[index]?.name ?? ''}.ts`));
}

test('exactly what depends on a changed spec is due', async () => {
  const drawnAndChanged = drawn.chain((specs) =>
    fc.tuple(fc.constant(specs), fc.nat({ max: specs.length - 1 })),
  );
  await fc.assert(
    fc.asyncProperty(drawnAndChanged, async ([specs, changed]) => {
      using base = plant(specs, 'skill');
      const dir = base.at('skill');
      await generate(dir);
      const expected = (isDue: (target: string) => boolean): object =>
        Object.fromEntries(specs.map(({ name }) => [`${name}.ts`, isDue(`${name}.ts`) ? 'due' : 'current']));
      assert.deepEqual(
        statuses(dir),
        expected(() => false),
      );
      const spec = specs[changed]!;
      base.write(`skill/specs/${spec.name}.md`, textOf(specs, spec, 'Changed.'));
      const due = dependents(specs, changed);
      assert.deepEqual(
        statuses(dir),
        expected((target) => due.has(target)),
      );
      await generate(dir);
      assert.deepEqual(
        statuses(dir),
        expected(() => false),
      );
    }),
    { numRuns: 20 },
  );
});

test('a plan comes of content alone: not of times, places or the order in which files came', () => {
  fc.assert(
    fc.property(drawn, fc.integer({ min: 1, max: 2_000_000_000 }), (specs, time) => {
      using one = plant(specs, 'skill');
      using other = tree();
      for (const spec of specs.toReversed()) {
        const file = other.write(`deep/down/skill/specs/${spec.name}.md`, textOf(specs, spec));
        utimesSync(file, time, time);
      }
      const strip = (dir: string): unknown => planGeneration(dir, recipe);
      assert.deepEqual(strip(one.at('skill')), strip(other.at('deep/down/skill')));
    }),
    { numRuns: 30 },
  );
});

test('each file comes after all that it depends on', () => {
  fc.assert(
    fc.property(drawn, (specs) => {
      using base = plant(specs, 'skill');
      const seen = new Set<string>();
      for (const { spec } of planGeneration(base.at('skill'), recipe)?.files ?? []) {
        assert.ok(spec.dependencies.every((target) => seen.has(target)));
        seen.add(spec.target);
      }
      assert.equal(seen.size, specs.length);
    }),
    { numRuns: 30 },
  );
});
