import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probedSkills } from '../../../test/support/ranked-skills.ts';
import { applySkillsPromptLimits } from '../catalog/catalog.ts';
import type { Searchable } from './fields.ts';
import { Ranker } from './ranker.ts';

const prompt = 'I have an application form as a pdf and need my address typed into the blanks';
const right = 'pdf-forms';

function rankerOf(skills: readonly Searchable[]): Ranker {
  const ranker = new Ranker();
  for (const skill of skills) ranker.add(skill.name, skill);
  return ranker;
}

function namesFor(skills: readonly Searchable[], limit = 10): readonly string[] {
  return rankerOf(skills)
    .rank(prompt, { limit })
    .ranked.map(({ key }) => key);
}

const times = (count: number, write: (index: number) => Searchable): readonly Searchable[] =>
  Array.from({ length: count }, (_, index) => write(index));

/** Sorts words in a different order for each index. */
const shuffled = (words: readonly string[], index: number): readonly string[] =>
  words.toSorted((a, b) => ((a.length * 7 + index * 13) % 11) - ((b.length * 7 + index * 13) % 11));

const words = prompt.split(' ');
const attacks: Readonly<Record<string, (index: number) => Searchable>> = {
  'copies of the prompt': (index) => ({ name: `helper-${index}`, description: prompt, body: '' }),
  'copies with a body that repeats them': (index) => ({
    name: `helper-${index}`,
    description: `${prompt} ${index}`,
    body: prompt,
  }),
  'shuffled copies that are padded with the words of other skills': (index) => {
    const other = probedSkills[index % probedSkills.length]?.description ?? '';
    const text = shuffled([...words, ...other.split(' ')], index).join(' ');
    return { name: `${words[index % words.length] ?? ''}-${index}`, description: text, body: text };
  },
  'copies with the body of another skill': (index) => ({
    name: `helper-${index}`,
    description: `${probedSkills[index % 40]?.description ?? ''} ${prompt}`,
    body: probedSkills[(index + 7) % probedSkills.length]?.body ?? '',
  }),
};

for (const [title, write] of Object.entries(attacks)) {
  test(`two hundred ${title} take at most two places`, () => {
    const found = namesFor([...probedSkills, ...times(200, write)], 5);
    assert.ok(found.includes(right), found.join());
    assert.ok(found.filter((name) => /-\d+$/.test(name)).length <= 2, found.join());
  });
}

test('twenty clones of a skill take two places, in the ranking and in a catalog', () => {
  const clones = times(20, (index) => ({
    name: `clone-${index}`,
    description: `Fills in and reads fields of PDF forms, merges and splits PDF documents. Version ${index}.`,
    body: '# PDF forms\n\nList the fields, write values, flatten the result.',
  }));
  const all = [...probedSkills, ...clones];
  const found = namesFor(all, 30);
  assert.equal(found[0], right);
  const last = found.findLastIndex((name) => !name.startsWith('clone-'));
  const before = found.slice(0, last).filter((name) => name.startsWith('clone-'));
  assert.ok(before.length <= 1, `only one clone beside the original: ${found.join()}`);
  const entries = all.map(({ name, description }) => ({ name, description, location: `/skills/${name}` }));
  const { omitted } = applySkillsPromptLimits(
    entries,
    { maxSkills: 12 },
    { request: prompt, relevance: found },
  );
  assert.ok(clones.filter(({ name }) => !omitted.includes(name)).length <= 2);
  assert.ok(!omitted.includes(right));
});

test('surplus copies are candidates too, after all others', () => {
  const copies = times(30, attacks['copies of the prompt'] ?? (() => probedSkills[0] as Searchable));
  const found = namesFor([...probedSkills.slice(0, 5), ...copies], 100);
  assert.equal(found.filter((name) => name.startsWith('helper-')).length, 30);
  assert.equal(new Set(found).size, found.length);
});

test('of equal copies, one that the user wrote comes before one from a plugin', () => {
  const copy = (name: string, isOwn: boolean): Searchable => ({ name, description: prompt, body: '', isOwn });
  const foreign = times(8, (index) => copy(`a-foreign-${index}`, false));
  const found = namesFor([...probedSkills, ...foreign, copy('z-own', true)], 5);
  assert.ok(found.includes('z-own'), found.join());
});

test('copies do not make the words of a prompt common', () => {
  const before = namesFor(probedSkills, 3);
  const after = namesFor(
    [...probedSkills, ...times(300, (index) => ({ name: `x${index}`, description: prompt, body: '' }))],
    5,
  );
  assert.deepEqual(after.filter((name) => !/^x\d/.test(name)).slice(0, 3), before);
});
