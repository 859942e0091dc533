import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  bundleOfText,
  findForeignTool,
  builtInLabel,
  parseRule,
  type RenderContext,
} from '../src/core/index.ts';
import { parse } from '../src/families/agent-skill/parse.ts';
import { bodyFor, joinPieces } from '../src/families/agent-skill/render/render-skill.ts';
import { skillFilesOf, type Workload } from './data.ts';
import type { Row } from './measure.ts';

const prompt = 'summarise the invoice for "Ann Lee", 42 pages';
const context: RenderContext = { session: 's', skillDir: '/d', projectDir: '/p', isPrompt: true };

/**
 * D7: renders every SKILL.md of the corpus for a prompt that selects it. Reports texts that change in other
 * places than declared placeholders. Counts the tool names that are known; the others are reported as issues.
 */
export function foreignSkills(workload: Workload): {
  readonly rows: readonly Row[];
  readonly faults: readonly string[];
} {
  const files = skillFilesOf(workload);
  const faults: string[] = [];
  let rendered = 0;
  let tools = 0;
  let known = 0;
  for (const file of files.map((one) => join(workload.root, one))) {
    const location = { dir: dirname(file), file, stem: 'skill', loose: false };
    const { card, definition } = parse(bundleOfText(readFileSync(file, 'utf8'), location));
    for (const entry of card.allowedTools ?? []) {
      tools++;
      if (isKnown(parseRule(entry)?.tool ?? '')) known++;
    }
    if (definition === undefined) continue;
    rendered++;
    const { pieces, replacements } = bodyFor(definition, prompt, context);
    const text = joinPieces(pieces, ({ source }) => source);
    if (!text.startsWith(fill(definition.body(), replacements).trimEnd()))
      faults.push(`the text changes outside of placeholders: ${file}`);
    if (!text.includes(prompt)) faults.push(`the prompt is missing from the text: ${file}`);
    const isDeclared = definition.positional !== undefined;
    const guessed = replacements.find(({ placeholder }) => !isDeclared && /^\$\d/.test(placeholder));
    if (guessed !== undefined) faults.push(`${guessed.placeholder} takes a word of the prompt: ${file}`);
  }
  const met = faults.length === 0;
  return {
    faults,
    rows: [
      { id: 'D7', what: 'texts rendered for a prompt', figure: String(rendered), target: 'all', met },
      { id: 'D7', what: 'known tool names', figure: `${known} of ${tools}` },
    ],
  };
}

function isKnown(tool: string): boolean {
  return builtInLabel(tool) !== undefined || findForeignTool(tool) !== undefined || /^mcp__/i.test(tool);
}

/** Replaces placeholders at their positions. */
function fill(body: string, replacements: ReturnType<typeof bodyFor>['replacements']): string {
  let text = '';
  let done = 0;
  for (const { placeholder, value, at } of replacements) {
    text += body.slice(done, at) + value;
    done = at + placeholder.length;
  }
  return text + body.slice(done);
}
