import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probedSkills, type Probed } from '../../../test/support/ranked-skills.ts';
import { stuffedSkills, stuffings } from '../../../test/support/stuffed-skills.ts';
import type { Searchable } from './fields.ts';
import { Ranker } from './ranker.ts';

const stuffed = 500;

function rankerOf(skills: readonly Searchable[]): Ranker {
  const ranker = new Ranker();
  for (const skill of skills) ranker.add(skill.name, skill);
  return ranker;
}

/** Returns the share of skills that are among the first `most` for a prompt about them. */
function rate(ranker: Ranker, most: number, promptFor: (skill: Probed) => string): number {
  const found = probedSkills.filter((skill) =>
    ranker.rank(promptFor(skill), { limit: most }).ranked.some(({ key }) => key === skill.name),
  );
  return found.length / probedSkills.length;
}

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;
const probeOf = ({ probe }: Probed): string => probe;

test('the right skill is among the first five for nearly every probe', (t) => {
  const ranker = rankerOf(probedSkills);
  const five = rate(ranker, 5, probeOf);
  t.diagnostic(`first: ${percent(rate(ranker, 1, probeOf))}, first five: ${percent(five)}`);
  assert.ok(five >= 0.95);
});

const rankers = new Map(
  stuffings.map((stuffing) => [stuffing, rankerOf([...stuffedSkills(stuffed, stuffing), ...probedSkills])]),
);

for (const [stuffing, ranker] of rankers) {
  if (!stuffing.repeats) continue;
  test(`a skill is found by its name among ${stuffed} descriptions with ${stuffing.what}`, (t) => {
    const [one, five] = [rate(ranker, 1, probeOf), rate(ranker, 5, probeOf)];
    t.diagnostic(`by probes, first: ${percent(one)}, first five: ${percent(five)}`);
    const named = rate(ranker, 5, ({ name }) => `run ${name}`);
    t.diagnostic(`by name, first five: ${percent(named)}`);
    assert.ok(named >= 0.95);
  });
}

for (const [stuffing, ranker] of rankers) {
  test(`the right skill stays among the first five against ${stuffed} descriptions with ${stuffing.what}`, (t) => {
    const five = rate(ranker, 5, probeOf);
    const named = rate(ranker, 1, ({ name }) => `run ${name}`);
    t.diagnostic(`first five: ${percent(five)}; first by name: ${percent(named)}`);
    assert.ok(five >= 0.9);
    assert.ok(named >= 0.95);
  });
}
