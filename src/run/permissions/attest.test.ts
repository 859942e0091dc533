import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowText,
  flowsIn,
  said,
  settled,
  textOf,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { builtinFamilies } from '../../families/index.ts';
import { digestFolder } from '../../files/digest.ts';
import { createPolicy } from '../../policy/policy.ts';
import { openTrustBook } from '../../policy/trust-book.ts';
import { freshDigest } from '../../skills/digest/fresh-digest.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { isAttested } from './attest.ts';

const path = '.agents/skills/tidy/FLOW.md';
const good = flowText('tidy', 'Tidies.');
const bad = flowText('tidy', 'Writes what it likes.');

/**
 * A family whose skill allows itself `Write` in only one version. Both versions first write the other version
 * to disk.
 */
const family = flowFamily({
  parse: ({ body }) => ({
    name: 'tidy',
    card: { description: 'Tidies.', allowedTools: body.includes('likes') ? ['Write', 'Mend'] : ['Mend'] },
    definition: body,
    issues: [],
  }),
  execute: async (_definition, _input, scope) => {
    await scope.call('mend', null);
    return done(said(await scope.call('write', { file_path: 'out.txt', content: 'x' })));
  },
});

test('a skill that puts trusted files in the place of its own is not taken for the trusted one', async () => {
  using files = tree({ [path]: good });
  const file = files.at(path);
  const dir = files.at('.agents/skills/tidy');
  const trustFile = files.at('trust.json');
  const digest = freshDigest({ dir, file, loose: false }) ?? '';
  await openTrustBook(trustFile).trust({ digest, name: 'tidy', dir });
  writeFileSync(file, bad);
  const options: AgentOptions = {
    startDir: files.path,
    workspace: files.path,
    searchUpwards: false,
    trustFile,
    families: [...builtinFamilies, family],
  };
  const mend = {
    permission: 'Mend',
    allowedSkills: [],
    run: () => {
      writeFileSync(file, good);
      return done();
    },
  };
  await using agent = agentWith({ mend }, options);
  const { status, question } = await settled(agent.run({ skill: 'tidy' }).result);
  assert.equal(readFileSync(file, 'utf8'), good);
  assert.deepEqual([status, question?.asks?.rule], ['waiting', 'Write(/out.txt)']);
  assert.equal(question?.asks?.version, undefined);
});

test('what was made of allowed files, and of those again, is vouched for; nothing else is', async () => {
  const store = createMemoryStore();
  const origins = { b: 'a', c: 'b', round: 'about', about: 'round' };
  for (const [to, from] of Object.entries(origins)) await store.set('vouched', to, from);
  for (const now of ['a', 'b', 'c']) assert.ok(await isAttested({ store }, 'a', now), now);
  for (const now of ['x', 'round', '', undefined]) assert.ok(!(await isAttested({ store }, 'a', now)), now);
  assert.ok(!(await isAttested({ store }, 'c', 'a')), 'backwards');
  assert.ok(await isAttested({ store }, undefined, undefined), 'a skill without files');
});

test('trust in a bundle counts for what a skill defined in code made of it', async () => {
  using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
  const book = openTrustBook(undefined);
  const dir = files.at('skills/x');
  const before = digestFolder(dir);
  await book.trust({ digest: before, name: 'x', dir });
  const makes = flowFamily({
    execute: async (_definition, _input, scope) => done(said(await scope.call('maker', null))),
    permission: { runsCode: () => true },
  });
  const options = { ...flowsIn(files.path, makes), policy: createPolicy({}, book) };
  await using agent = agentWith(
    {
      maker: async (_input, scope) => {
        writeFileSync(files.at('skills/x/made.js'), '1');
        await scope.attest({ dir, from: before, to: digestFolder(dir) });
        return done('made');
      },
    },
    options,
  );
  assert.equal((await agent.run({ skill: 'x' }).result).text, 'made');
  assert.ok(book.isTrusted(digestFolder(dir)));
  assert.equal((await agent.run({ skill: 'x' }).result).text, 'made');
});

test('a skill with files cannot vouch for any', async () => {
  using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
  const dir = files.at('skills/x');
  const attesting = flowFamily({
    execute: async (_definition, _input, scope) => {
      await scope.attest({ dir, from: 'a', to: 'b' });
      return done();
    },
  });
  await using agent = agentWith({}, flowsIn(files.path, attesting));
  assert.equal(codeOf(await agent.run({ skill: 'x' }).result), 'policy.denied');
});

test('a run that was interrupted when its skill had just been generated again continues with it', async () => {
  using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
  const dir = files.at('skills/x');
  const store = createMemoryStore();
  const asking = flowFamily({
    execute: async (_definition, _input, scope) => done(textOf(await scope.ask('Go on?'))),
  });
  const options = { ...flowsIn(files.path, asking), store };
  const maker: Run = async (_input, scope) => {
    const from = digestFolder(dir);
    writeFileSync(files.at('skills/x/made.js'), '1');
    await scope.attest({ dir, from, to: digestFolder(dir) });
    return done();
  };
  const begun = await (async () => {
    await using agent = agentWith({ maker }, options);
    const run = agent.run({ skill: 'x' });
    await run.result;
    await agent.run({ skill: 'maker' }).result;
    return run.id;
  })();
  await using agent = agentWith({}, options);
  await agent.runs.answer(begun, 'yes');
  assert.equal((await agent.runs.resume(begun).result).text, 'yes');
});

test('files that change after they were allowed are not prepared either', async () => {
  using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
  const book = openTrustBook(undefined);
  const dir = files.at('skills/x');
  await book.trust({ digest: digestFolder(dir), name: 'x', dir });
  let prepared = 0;
  const prepares = flowFamily({
    permission: { runsCode: () => true },
    generation: {
      prepare: async (definition) => {
        prepared += 1;
        return definition;
      },
    },
  });
  const policy = createPolicy({}, book);
  const options = flowsIn(files.path, prepares);
  const decide: typeof policy.decide = (request) => {
    const decision = policy.decide(request);
    writeFileSync(files.at('skills/x/more.js'), 'more');
    return decision;
  };
  await using agent = agentWith({}, { ...options, policy: { ...policy, decide } });
  assert.equal(codeOf(await agent.run({ skill: 'x' }).result), 'skill.changed');
  assert.equal(prepared, 0);
});
