import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Json } from '../../../src/core/json.ts';
import { defineSkill } from '../../../src/core/define-skill.ts';
import { loadSkill, parseSkill } from '../../../src/config/preset.ts';
import { collect } from '../../../src/core/model.ts';
import { createScriptedModel } from '../../../src/models/scripted.ts';
import { call } from '../../support/command.ts';
import { done } from '../../support/kernel.ts';
import { skillText } from '../../support/tree.ts';
import type { SafetyCase } from '../case.ts';
import type { Stage } from '../stage.ts';

const bad = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', '__defineGetter__'];

/** An object as from an external parser, with keys that are special in JavaScript. */
const hostile = JSON.parse(
  `{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}, "toString": "yes",
    "nested": {"__proto__": {"polluted": "yes"}, "list": [{"__proto__": {"polluted": "yes"}}]}}`,
) as Json;

/** Keys that every JavaScript object has, wherever other people choose the keys. */
export const keyCases: readonly SafetyCase[] = [
  {
    id: 'P21',
    what: 'keys such as __proto__ pollute nothing, at any position',
    async run(stage) {
      const files = writeHostileFiles(stage);
      stage.write('.skilled/settings.json', hostileSettings());
      stage.settle();
      const clean = (): void => {
        assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
        assert.equal(([] as unknown as Record<string, unknown>)['polluted'], undefined);
        assert.equal(typeof {}.toString, 'function');
      };
      await using agent = stage.agent({ settings: true, models: hostileModel() });
      agent.skills.register(echo);
      agent.skills.register(memorySkill);
      for (const skill of agent.skills.list()) {
        assert.ok(!Object.hasOwn(skill.card.metadata ?? {}, '__proto__'), skill.name);
        assert.equal((skill.card as unknown as Record<string, unknown>)['polluted'], undefined);
      }
      for (const name of bad) {
        const isFolder = name === '__proto__' || name === 'constructor'; // these are skills of this stage
        assert.equal(
          agent.skills.get(name)?.file,
          isFolder ? stage.at(`skills/${name}/SKILL.md`) : undefined,
        );
        const { error } = await agent.run({ skill: name }).result;
        assert.equal(error?.code === 'skill.not-found', !isFolder, name);
      }
      clean();
      for (const [skill, input] of [
        ['echo', hostile],
        ['keeper', hostile],
        ['read', { file_path: 'inside.txt', ...(hostile as object) }],
        ['glob', hostile],
        ['grep', { pattern: '__proto__', output_mode: 'constructor' }],
        ['ask-user', { question: '__proto__', options: ['constructor', '__proto__'] }],
      ] as const) {
        const { runId, value } = await agent.run({ skill, input, session: '__proto__' }).result;
        const events = await agent.runs.events(runId);
        assert.ok(events.length > 0);
        assert.equal((value as { polluted?: unknown } | undefined)?.polluted, undefined, skill);
        clean();
      }
      for (const args of [
        ['run', '/read', '--args-json', '{"file_path": "inside.txt", "__proto__": {"polluted": "yes"}}'],
        ['run', '/read', '--file_path', 'inside.txt', '--__proto__.polluted', 'yes'],
        ['run', '/read', '--constructor', 'yes', '--file_path', 'inside.txt'],
        ['config', 'get', '__proto__.polluted'],
        ['config', 'set', '__proto__.polluted', '"yes"'],
        ['config', 'set', 'constructor.prototype.polluted', '"yes"'],
        ['config', 'list', '--json'],
        ['list', '--json'],
        ['runs', '--json'],
      ]) {
        const ended = await call([...args, '--cwd', stage.workspace]);
        assert.doesNotMatch(ended.err, /internal\.bug|bug in skilled/, args.join(' '));
        clean();
      }
      const [file = ''] = files;
      clean();
      parseSkill(skillText('parsed', 'x', 'metadata:\n  __proto__: {polluted: "yes"}\n'));
      await loadSkill(file);
      clean();
      return { issues: agent.skills.diagnostics(), files };
    },
  },
];

/** Writes descriptors with such keys at the top, deeper, and in a schema. Each must be reported. */
function writeHostileFiles(stage: Stage): readonly string[] {
  const heads = [
    '__proto__: {polluted: "yes"}\n',
    '__proto__:\n  polluted: "yes"\n',
    '"__proto__": {polluted: "yes"}\n',
    'metadata:\n  __proto__:\n    polluted: "yes"\n  openclaw:\n    __proto__: {always: true}\n',
    'metadata: {"__proto__": {polluted: "yes"}}\n',
    'hooks:\n  __proto__: {polluted: "yes"}\n',
  ];
  const files = heads.map((head, index) =>
    stage.write(`skills/keyed-${index}/SKILL.md`, skillText(`keyed-${index}`, 'Keys.', head)),
  );
  stage.write(
    'skills/plain/SKILL.md',
    skillText('plain', 'Keys.', 'constructor: x\ntoString: y\nmetadata:\n  constructor: z\n'),
  );
  const schema =
    '```json\n{"type": "object", "__proto__": {"polluted": "yes"}, "properties": {"__proto__": {"type": "string"}, "constructor": {"type": "string"}}}\n```\n';
  stage.write(
    'skills/schema/cskill.md',
    `# schema\n\n## Description\n\nHas one.\n\n## Input Format\n\n${schema}`,
  );
  stage.write('skills/__proto__/SKILL.md', skillText('proto-folder'));
  stage.write('skills/constructor/SKILL.md', '---\ndescription: Named by its folder.\n---\nDo it.\n');
  return files;
}

function hostileSettings(): string {
  return `{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}},
    "skills": {"entries": {"__proto__": {"enabled": false, "polluted": "yes"}, "constructor": {"env": {"__proto__": "x"}}}},
    "limits": {"__proto__": {"polluted": 1}}, "permissions": {"deny": ["Skill(__proto__)", "mcp__constructor__x"]}}`;
}

const echo = defineSkill({
  name: 'echo',
  description: 'Gives it back.',
  allowedSkills: [],
  run: (input) => done('echo', input),
});

/** A skill that stores values and asks questions with such keys, which come from its input. */
const memorySkill = defineSkill({
  name: 'keeper',
  description: 'Keeps what it is told.',
  input: () => z.looseObject({ nested: z.looseObject({}) }) as unknown as z.ZodType<Json>,
  async run(input, scope) {
    for (const key of bad) scope.memory.set(key, input);
    const remembered = await Promise.all(bad.map((key) => scope.memory.get(key)));
    const stepped = await Promise.all(bad.map((key) => scope.step(key, () => input)));
    const request = { messages: [{ role: 'user', text: 'x' }] } as const;
    const reply = await collect(scope.model('execution').stream(request, scope.signal));
    const called = await scope.call('echo', {
      ...(input as object),
      calls: reply.calls as unknown as Json,
    });
    scope.note('kept', input);
    return done('kept', [remembered as Json, stepped, called as unknown as Json]);
  },
});

function hostileModel() {
  return createScriptedModel(() => ({
    text: '{"__proto__": {"polluted": "yes"}}',
    calls: [{ name: '__proto__', input: hostile }],
  }));
}
