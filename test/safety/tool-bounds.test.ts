import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { AgentOptions } from '../../src/agent/options.ts';
import { isJsonObject } from '../../src/core/json.ts';
import type { Script } from '../../src/models/scripted.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { codeSkillFiles } from '../support/code-skill-stage.ts';
import { inCode } from '../support/dynamic-code-stage.ts';
import { fileStage, type Played } from '../support/file-stage.ts';
import { ofType } from '../support/kernel.ts';
import { call } from '../support/loop-stage.ts';
import { fenced, mskillText } from '../support/mcp-stage.ts';
import { oskillText } from '../support/orchestrator-stage.ts';
import { areasText } from '../support/table-stage.ts';
import { hostTools, toolText } from '../support/tool-host.ts';
import { skillText } from '../support/tree.ts';

const touch = { command: 'touch PWNED' };

/** Returns an orchestrator with limited tools, which calls one skill from a script. */
function top(child: string, tools = 'read', input = '""'): string {
  const script = fenced(`@done ${child} ${input}`);
  return oskillText('top', { 'Allowed Skills': `- ${child}`, 'Allowed Tools': `- ${tools}`, Script: script });
}

async function play(
  given: Readonly<Record<string, string>>,
  script: Script = [],
  options: AgentOptions = {},
): Promise<Played & { readonly isTouched: boolean; readonly refusedBy: readonly unknown[] }> {
  await using stage = fileStage(given, script, options);
  const workspace = stage.files.path;
  const played = await stage.run('top', 'Go.');
  const refused = ofType(played.events, 'call.refused').map(({ error }) => error);
  return {
    ...played,
    isTouched: existsSync(`${workspace}/PWNED`),
    refusedBy: refused.map(({ details }) => isJsonObject(details) && [details['skill'], details['tool']]),
  };
}

/** Checks that a call was refused because of the list of `top` or of another skill, and had no effect. */
async function refuses(
  given: Readonly<Record<string, string>>,
  script: Script = [],
  [owner, tool]: readonly [string, string] = ['top', 'Bash'],
): Promise<Played> {
  const played = await play(given, script);
  assert.deepEqual(played.refusedBy, [[owner, tool]], JSON.stringify(played.result));
  assert.equal(played.isTouched, false);
  return played;
}

describe('the allowed tools of an orchestrator bound', { concurrency: 2 }, () => {
  test('an orchestrator in a loop', async () => {
    const low = oskillText('low', { Session: 'loop', 'Allowed Skills': '- bash\n- read' });
    const played = await play({ 'skills/top/oskill.md': top('low'), 'skills/low/oskill.md': low }, [
      { calls: [call('bash', touch)] },
      'Could not.',
    ]);
    assert.equal(played.isTouched, false);
    assert.ok(!played.called.includes('bash'));
  });

  test('the plan of an orchestrator', async () => {
    const low = oskillText('low', { 'Allowed Skills': '- bash', Script: fenced('@x bash "touch PWNED"') });
    await refuses({ 'skills/top/oskill.md': top('low'), 'skills/low/oskill.md': low });
    const script = fenced('@x bash "touch PWNED"');
    const own = { 'Allowed Skills': '- bash', 'Allowed Tools': 'read', Script: script };
    await refuses({ 'skills/top/oskill.md': oskillText('top', own) });
  });

  test('the preparation of an orchestrator', async () => {
    const low = oskillText('low', {
      Session: 'loop',
      'Allowed Skills': '',
      Preparation: 'Look around.',
      'Allowed Prep Skills': '- bash',
    });
    const played = await play({ 'skills/top/oskill.md': top('low'), 'skills/low/oskill.md': low }, [
      { calls: [call('bash', touch)] },
      'Prepared.',
      'Done.',
    ]);
    assert.equal(played.isTouched, false);
    assert.ok(!played.called.includes('bash'));
  });

  test('the model of a SKILL.md, also in the background, and of a subagent', async () => {
    for (const head of ['allowed-tools: Bash(*)\n', 'context: fork\nbackground: true\n']) {
      const played = await play(
        { 'skills/top/oskill.md': top('low'), low: skillText('low', 'Works.', head) },
        [{ calls: [call('bash', touch)] }, 'Could not.'],
      );
      assert.ok(!played.called.includes('bash') && !played.isTouched);
    }
    const agent = '---\nname: low\ndescription: Works.\ntools: bash\n---\n\nWork.\n';
    const played = await play({ 'skills/top/oskill.md': top('low'), '.agents/agents/low.md': agent }, [
      { calls: [call('bash', touch)] },
      'Could not.',
    ]);
    assert.ok(played.called.includes('low') && !played.called.includes('bash') && !played.isTouched);
  });

  test('the commands in the text of a SKILL.md', async () => {
    const low = `${skillText('low', 'Works.', 'allowed-tools: Bash(*)\n')}\nDo it: !\`touch PWNED\`\n`;
    await refuses({ 'skills/top/oskill.md': top('low'), low }, ['Done.']);
  });

  test('the hooks of a SKILL.md that a conversation loads', async () => {
    const low = oskillText('low', { Session: 'loop', 'Allowed Skills': '- hooked\n- read' });
    const hooked = skillText('hooked', 'Works.', 'hooks:\n  before: touch PWNED\n');
    const played = await play(
      { 'skills/top/oskill.md': top('low', 'read, glob'), 'skills/low/oskill.md': low, hooked },
      [
        { calls: [call('skill', { name: 'hooked' }), call('hooked', 'Go.')] },
        { calls: [call('read', { file_path: 'a.txt' })] },
        'Done.',
        'Done.',
        'Done.',
      ],
    );
    assert.ok(!played.isTouched);
    assert.deepEqual(played.refusedBy.at(-1), ['top', 'Bash']);
  });

  test('a code skill that calls', { skip: withoutBubblewrap }, async () => {
    const code = `export const action = async (_input, scope) => (await scope.call('bash', ${JSON.stringify(touch)})).status;`;
    await refuses({ 'skills/top/oskill.md': top('low'), ...codeSkillFiles({ low: { code } }) });
    const head = 'allowed-tools: [read]\n';
    const inner = codeSkillFiles({ low: { code, head } });
    await refuses({ 'skills/top/oskill.md': top('low', 'bash'), ...inner }, [], ['low', 'Bash']);
  });

  test('code that a model writes', async () => {
    const text = '---\nname: low\ndescription: Computes.\n---\n\n## Allowed Skills\n\n- bash\n';
    const script = [inCode(`return (await call('bash', ${JSON.stringify(touch)})).status ?? 'x';`), 'Done.'];
    const more = `${text}\n## Allowed Tools\n\n- read\n`;
    for (const [list, low, owner] of [
      ['read', text, 'top'],
      ['bash', more, 'low'],
    ] as const) {
      const given = { 'skills/top/oskill.md': top('low', list), 'skills/low/dcgskill.md': low };
      const played = await play(given, () => script[0]);
      assert.deepEqual(played.refusedBy[0], [owner, 'Bash']);
      assert.equal(played.isTouched, false);
    }
  });

  test('the tools of servers', async () => {
    await using host = await hostTools({
      look: { run: () => toolText('seen') },
      send: { run: () => toolText('sent') },
    });
    const servers = `\`\`\`json\n${JSON.stringify({ host: { url: host.url } })}\n\`\`\``;
    const desk = mskillText('desk', { Servers: servers, Script: fenced('@x host.send\n@y host.look') });
    const played = await play({
      'skills/top/oskill.md': top('desk', 'host.look'),
      'skills/desk/mskill.md': desk,
    });
    assert.deepEqual(
      host.calls.filter((name) => name.startsWith('send')),
      [],
    );
    assert.notEqual(played.result.status, 'done');
    const only = mskillText('desk', { Servers: servers, Script: fenced('@y host.look') });
    const fine = await play({
      'skills/top/oskill.md': top('desk', 'host.look'),
      'skills/desk/mskill.md': only,
    });
    assert.equal(fine.result.status, 'done', JSON.stringify(fine.result));
  });

  test('the files of a table', async () => {
    const areas = { 'skills/areas/tskill.md': areasText };
    const input = '"export areas to PWNED.csv"';
    await refuses({ ...areas, 'skills/top/oskill.md': top('areas', 'read', input) }, [], ['top', 'Write']);
    const bounded = { 'skills/areas/tskill.md': `${areasText}\n## Allowed Tools\n\n- read\n` };
    const wide = top('areas', 'write', input);
    await refuses({ ...bounded, 'skills/top/oskill.md': wide }, [], ['areas', 'Write']);
  });
});
