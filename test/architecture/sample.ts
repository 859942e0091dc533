/** The files of a source tree, keyed by path. */
export type Files = Readonly<Record<string, string>>;

/** A small tree that breaks no rule. */
export const sample: Files = {
  'index.ts':
    "export { createAgent } from './agent/agent.ts';\nexport { families } from './families/index.ts';\n",
  'core/skill.ts': '/** What a skill is called. */\nexport interface Skill {\n  readonly name: string;\n}\n',
  'core/family.ts':
    '/** Seals a family. */\nexport function defineFamily<T>(spec: T): T {\n  return spec;\n}\n' +
    '/** Whether it is callable. */\nexport const isCallable = (x: unknown) => typeof x === "function";\n',
  'skills/registry.ts':
    "import { readFileSync } from 'node:fs';\nimport type { Skill } from '../core/skill.ts';\n\n" +
    '// The skills below a folder.\nexport const readSkills = (root: string): Skill[] => [{ name: readFileSync(root, "utf8") }];\n',
  'families/index.ts':
    "import { table } from './table/index.ts';\nimport { callable } from './function/index.ts';\n\n" +
    '/** The built-in families. */\nexport const families = [table, callable];\n',
  'families/table/index.ts':
    "import { defineFamily } from '../../core/family.ts';\nimport { parse } from './parse.ts';\n\n" +
    "/** Tables. */\nexport const table = defineFamily({ id: 'table', aliases: ['rows', 'table-skill'], descriptor: { file: 'tskill.md' }, parse });\n",
  'families/table/parse.ts': "/** Never throws. */\nexport const parse = (): string => 'tskill.md';\n",
  'families/table/table.test.ts':
    "import { families } from '../index.ts';\nconsole.log(families, process.env, Date.now() - 86_400_000, Date.now() + 1);\n",
  'families/table/fixtures/Messy_Name.ts': 'export const x = 1;\n',
  'families/function/index.ts':
    "import { defineFamily } from '../../core/family.ts';\n\n" +
    "/** Functions. */\nexport const callable = defineFamily({ id: 'function' });\n",
  'agent/agent.ts': "/** Rows are not a family here. */\nexport const createAgent = (): string => 'rows';\n",
  'config/environment.ts': '/** The only reader. */\nexport const environment = process.env;\n',
  'cli/main.ts': "const { list } = await import('./list.ts');\nlist();\n",
  'cli/list.ts': '/** Prints. */\nexport const list = (): void => console.log("tables");\n',
};
