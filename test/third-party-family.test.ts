import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  builtinFamilies,
  defineFamily,
  loadSkill,
  parseSkill,
  RecursiveSkilledAgent,
  type Family,
  type Issue,
} from '../src/index.ts';
import { validatePaths } from '../src/doctor/validate.ts';
import { familyContract } from '../src/testing/family-contract.ts';
import { skillText, tree } from './support/tree.ts';

interface Recipe {
  readonly steps: readonly string[];
}

/** A family that no file of the package knows: a recipe with numbered steps. */
const recipe = defineFamily<Recipe>({
  id: 'recipe',
  aliases: ['cookbook'],
  descriptor: { file: 'RECIPE.md' },
  label: 'Recipe',
  parse(bundle) {
    const issues: Issue[] = [...bundle.issues, ...bundle.head.issues];
    const field = (key: string): string => {
      const value = bundle.head.fields.get(key);
      return typeof value === 'string' ? value : '';
    };
    const steps = bundle.body.split('\n').filter((line) => /^\d+\. /.test(line));
    if (steps.length === 0) {
      issues.push({
        level: 'error',
        code: 'recipe.empty',
        message: 'The recipe has no steps.',
        line: 1,
      });
    }
    const card = { description: field('description') || 'A recipe.' };
    return { name: field('name'), card, definition: steps.length === 0 ? undefined : { steps }, issues };
  },
  execute: ({ steps }, input) =>
    Promise.resolve({ status: 'done', text: `${steps.length} steps for ${JSON.stringify(input)}` }),
  authoring: {
    template: (name) => ({
      'RECIPE.md': `---\nname: ${name}\ndescription: Cooks ${name}.\n---\n\n1. Cook it.\n`,
    }),
    lint: (bundle) =>
      bundle.head.present
        ? []
        : [{ level: 'warning', code: 'recipe.head', message: 'It has no head.', line: 1, standard: true }],
  },
  input: { defaultArgument: 'dish' },
});

const soup = '---\nname: Tomato Soup\ndescription: Cooks soup.\n---\n\n1. Boil.\n2. Eat.\n';
const families = [...builtinFamilies, recipe];

function names(agent: RecursiveSkilledAgent): readonly string[] {
  return agent.skills
    .list()
    .filter((skill) => skill.source !== 'bundled')
    .map((skill) => `${skill.name} ${skill.family} ${skill.status}`);
}

async function agentWith(
  startDir: string,
  list: readonly Family[] = families,
): Promise<RecursiveSkilledAgent> {
  return new RecursiveSkilledAgent({ startDir, searchUpwards: false, families: list }).ready();
}

familyContract(recipe, { valid: { 'tomato-soup': soup }, runs: 30 });

describe('a family of a third party', () => {
  test('is discovered, parsed and listed; without it the same files are not skills', async () => {
    using files = tree({ 'skills/soups/tomato/RECIPE.md': soup, 'skills/a/SKILL.md': skillText('a') });
    await using agent = await agentWith(files.path);
    assert.deepEqual(names(agent), ['a agent-skill ready', 'tomato-soup recipe ready']);
    assert.equal(agent.skills.get('tomato-soup')?.card.description, 'Cooks soup.');
    await using bare = await agentWith(files.path, builtinFamilies);
    assert.deepEqual(names(bare), ['a agent-skill ready']);
  });

  test('has its words as aliases', async () => {
    using files = tree({ 'skills/soups/tomato/recipe.md': soup });
    await using agent = await agentWith(files.path);
    const skill = agent.skills.resolve('tomato-soup');
    assert.deepEqual(skill.aliases, [
      'tomato',
      'Tomato Soup',
      'tomato-soup-recipe',
      'tomato-soup-cookbook',
      'soups/tomato-soup',
      'project:tomato-soup',
    ]);
    for (const alias of skill.aliases) assert.equal(agent.skills.get(alias), skill, alias);
    assert.deepEqual(agent.skills.search({ family: 'recipe' }), [skill]);
  });

  test('says what is wrong with its files', async () => {
    using files = tree({ 'skills/empty/RECIPE.md': '---\nname: empty\n---\n\nNothing.\n' });
    await using agent = await agentWith(files.path);
    assert.deepEqual(names(agent), ['empty recipe invalid']);
    const [issue] = agent.skills.diagnostics();
    assert.deepEqual(
      [issue?.code, issue?.file, issue?.line],
      ['recipe.empty', files.at('skills/empty/RECIPE.md'), 1],
    );
  });

  test('is validated, strictly by its own lint', async () => {
    using files = tree({ 'a/RECIPE.md': soup, 'b/RECIPE.md': '1. Boil.\n', 'c/RECIPE.md': '' });
    await using agent = await agentWith(files.path);
    const verdicts = (strict: boolean): readonly boolean[] =>
      validatePaths([files.path], { families: agent.families, limits: agent.limits, strict }).map(
        ({ valid }) => valid,
      );
    assert.deepEqual(verdicts(false), [true, true, false]);
    assert.deepEqual(verdicts(true), [true, false, false]);
  });

  test('is loaded through loadDir, and again after a change', async () => {
    using files = tree({ 'team/tomato/RECIPE.md': soup });
    await using agent = await agentWith(files.path);
    assert.deepEqual(names(agent), []);
    const [loaded] = await agent.skills.loadDir('team');
    assert.equal(loaded?.family, 'recipe');
    files.write('team/tomato/RECIPE.md', soup.replace('Cooks soup.', 'Cooks it well.'));
    await agent.skills.loadDir('team');
    assert.equal(agent.skills.get('tomato-soup')?.card.description, 'Cooks it well.');
  });

  test('is loaded by itself, and refused where no one knows it', async () => {
    using files = tree({ 'tomato-soup/RECIPE.md': soup.replace('Tomato Soup', 'tomato-soup') });
    const skill = await loadSkill(files.at('tomato-soup'), { families });
    assert.equal(skill.family, 'recipe');
    await using agent = await agentWith(files.path);
    agent.skills.register(skill);
    assert.equal(agent.skills.get('tomato-soup')?.family, 'recipe');
    await assert.rejects(loadSkill(files.at('tomato-soup')), { code: 'skill.not-found' });
    assert.throws(() => parseSkill(soup, { families: [recipe] }), { code: 'usage.bad-input' });
  });

  test('wins and loses names by its place in the order', async () => {
    using files = tree({ 'skills/one/RECIPE.md': soup, 'skills/two/SKILL.md': skillText('tomato-soup') });
    await using last = await agentWith(files.path);
    assert.equal(last.skills.get('tomato-soup')?.family, 'agent-skill');
    assert.equal(last.skills.get('tomato-soup-recipe')?.family, 'recipe');
    await using first = await agentWith(files.path, [recipe, ...builtinFamilies]);
    assert.equal(first.skills.get('tomato-soup')?.family, 'recipe');
    assert.equal(first.skills.get('tomato-soup-anthropic')?.family, 'agent-skill');
  });

  test('takes no bundled name, and a descriptor goes to the family that asked first', async () => {
    using files = tree({
      'skills/read/RECIPE.md': soup.replace('Tomato Soup', 'read'),
      'skills/a/SKILL.md': skillText('a'),
    });
    await using agent = await agentWith(files.path, [
      ...builtinFamilies,
      { ...recipe, id: 'thief', descriptor: { file: 'skill.md' } },
      recipe,
    ]);
    assert.equal(agent.skills.get('read')?.source, 'bundled');
    assert.equal(agent.skills.get('read-recipe')?.status, 'shadowed');
    assert.equal(agent.skills.get('a')?.family, 'agent-skill');
  });

  test('may own a folder of its own', async () => {
    using files = tree({ 'recipes/soup.md': soup, 'skills/a/SKILL.md': skillText('a') });
    await using agent = await agentWith(files.path, [
      ...builtinFamilies,
      { ...recipe, descriptor: { folder: 'recipes' } },
    ]);
    assert.deepEqual(names(agent), ['a agent-skill ready', 'tomato-soup recipe ready']);
  });

  test('that throws costs only its own skill', async () => {
    using files = tree({ 'skills/tomato/RECIPE.md': soup, 'skills/a/SKILL.md': skillText('a') });
    const broken: Family = {
      ...recipe,
      parse() {
        throw new Error('out of salt');
      },
    };
    await using agent = await agentWith(files.path, [...builtinFamilies, broken]);
    assert.deepEqual(names(agent), ['a agent-skill ready', 'tomato recipe invalid']);
    assert.match(agent.skills.diagnostics()[0]?.message ?? '', /out of salt/);
  });
});
