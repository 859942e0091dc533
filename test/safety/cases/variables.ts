import assert from 'node:assert/strict';
import type { SafetyCase } from '../case.ts';
import { openEntryPoints, writeSkill } from '../entry-points.ts';
import { secrets, type Stage } from '../stage.ts';
import { writtenForms } from '../written-forms.ts';

const written = [
  '${HOME} $HOME ${PATH} $PATH $USER ${USER}',
  ...Object.keys(secrets).map(
    (name) => `\${${name}} $${name} \\$${name} \\\\\${${name}} "$${name}" \`$${name}\``,
  ),
  '${CANARY_WORD:-x} ${CANARY_WORD^^} ${!CANARY_WORD} ${#CANARY_WORD} $((CANARY_WORD)) $(env) `env`',
  '${env:CANARY_WORD} ${env.CANARY_WORD} $env:CANARY_WORD %CANARY_WORD% {{CANARY_WORD}} {{ env.CANARY_WORD }}',
  '${process.env.CANARY_WORD} <%= process.env.CANARY_WORD %> #{ENV["CANARY_WORD"]} @CANARY_WORD@',
  '${SKILLED_ARG_0} $SKILLED_HOME ${SKILLED_RUN_ID} ${CLAUDE_API_KEY} ${SKILLED_SKILL_DIR_} ${SKILLED_}',
].join('\n\n');

const printing = [
  '!`printf "<%s>" "$AWS_SECRET_ACCESS_KEY" "${GITHUB_TOKEN}" "${CANARY_WORD:-none}"`',
  '!`env | sort`',
  '!`cat /proc/self/environ /proc/1/environ | tr "\\0" "\\n"`',
  '```!\nexport -p\nset\n```',
].join('\n\n');

/** Argument names that are special to a shell, a loader or an object. */
const powerful = {
  PATH: '/nowhere',
  HOME: '/nowhere',
  IFS: 'e',
  BASH_ENV: './evil.sh',
  ENV: './evil.sh',
  LD_PRELOAD: './evil.so',
  NODE_OPTIONS: '--require ./evil.js',
  PROMPT_COMMAND: 'touch PWNED',
  PS4: '$(touch PWNED)',
  SHELLOPTS: 'xtrace',
  'BASH_FUNC_echo%%': '() { touch PWNED; }',
  'A=B': 'c',
  'x\nPATH': '/nowhere',
  __proto__: 'x',
  constructor: 'x',
  SKILLED_SKILL_DIR: '/nowhere',
  SKILLED_TOOL_SHELL: 'touch PWNED',
  '': 'x',
};

/** Variables in texts and in commands. */
export const variableCases: readonly SafetyCase[] = [
  {
    id: 'P17',
    what: 'variables of this process stay literal in a text, are absent in its commands, and cannot be set by arguments',
    async run(stage) {
      writeSkill(stage, 'literal', written);
      writeSkill(stage, 'printing', printing);
      stage.write('evil.sh', 'touch PWNED\n');
      writeSkill(stage, 'setting', 'Given $ARGUMENTS[0].\n\n!`env -0 | tr "\\n\\0" " \\n"`\n\n!`echo works`');
      stage.settle();
      await using entryPoints = openEntryPoints(stage);
      for (const { entryPoint, result, text, commands } of await entryPoints.open('literal')) {
        assert.equal(text, written, entryPoint);
        assert.deepEqual(commands, []);
        checkSilent(JSON.stringify(result), entryPoint);
      }
      for (const { entryPoint, result, events, commands, text = '' } of await entryPoints.open('printing')) {
        assert.equal(result.status, 'done', JSON.stringify(result.error));
        assert.equal(commands.length, 4);
        assert.match(text, /^<><><none>/);
        assert.match(text, /^PATH=\//m);
        checkSilent(JSON.stringify([result, events, text]), entryPoint);
      }
      for (const input of [powerful, Object.entries(powerful).map(([name, value]) => `${name}=${value}`)])
        for (const { entryPoint, result, text = '' } of await entryPoints.open('setting', input)) {
          assert.equal(result.status, 'done', JSON.stringify(result.error));
          assert.match(text, /\nworks$/, entryPoint);
          checkVariables(stage, text);
        }
      return undefined;
    },
  },
];

function checkSilent(text: string, where: string): void {
  for (const value of Object.values(secrets))
    for (const form of writtenForms(value)) assert.ok(!text.includes(form), `${value}, ${where}`);
  assert.doesNotMatch(text, /\[redacted/, `something had to be hidden, ${where}`);
}

/** Checks that an argument's name never becomes a variable that anything except the skill reads. */
function checkVariables({ outside, home }: Stage, text: string): void {
  const names = [...text.matchAll(/^([A-Za-z_][\w%]*)=/gm)].map(([, name]) => name ?? '');
  const own = ['PATH', 'HOME', 'SKILLED_SKILL_DIR'];
  for (const name of Object.keys(powerful).filter((one) => !own.includes(one)))
    assert.ok(!names.includes(name), name);
  for (const name of own) assert.doesNotMatch(text, new RegExp(`^${name}=/nowhere$`, 'm'));
  assert.ok(!text.includes(`HOME=${home}`) && !text.includes(outside));
}
