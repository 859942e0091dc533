import ts from 'typescript';
import { at, judgeNodes, type Rule } from '../rule.ts';
import type { Source } from '../source.ts';
import { visit } from '../syntax.ts';

interface Words {
  readonly ids: Set<string>;
  readonly descriptors: Set<string>;
}

// Files where the name of a family has another meaning.
const homonyms = [
  { path: 'core/skill.ts', word: 'mcp', meaning: 'a source of skills' },
  { path: 'core/skill.ts', word: 'mcp', meaning: 'the same source' },
  { path: 'engines/servers/tool-skill.ts', word: 'mcp', meaning: 'the same source' },
  { path: 'skills/discover/roots.ts', word: 'mcp', meaning: 'a source of skills' },
  { path: 'cli/commands.ts', word: 'mcp', meaning: 'a command' },
  { path: 'cli/commands/chat/slash-commands.ts', word: 'mcp', meaning: 'a command' },
  { path: 'server/create-server.ts', word: 'mcp', meaning: 'a group of routes' },
  { path: 'server/mcp/skill-files.ts', word: 'mcp', meaning: 'a source of skills' },
  { path: 'models/ai-sdk/request.ts', word: 'function', meaning: 'a kind of tool of a provider' },
  { path: 'server/openai/client-calls.ts', word: 'function', meaning: 'a kind of tool of a client' },
];

/** Only a family may use its id and its descriptor's name. Other code must ask the family. */
export const familyWords: Rule = {
  name: 'family-words',
  find(tree) {
    const words: Words = { ids: new Set(), descriptors: new Set() };
    const families = tree.filter((source) => /^families\/[^/]+\/index\.ts$/.test(source.path));
    const unreadable = families.filter((source) => !learn(source, words));
    return [
      ...unreadable.map((source) => at(source, 1, "A family states its id as a literal: id: '…'.")),
      ...tree
        .filter(mustNotKnow)
        .flatMap((source) => judgeNodes(source, (node) => judge(source, node, words))),
    ];
  },
};

function mustNotKnow(source: Source): boolean {
  return source.role === 'code' && source.folder !== 'families' && source.folder !== 'testing';
}

// Reads the id, aliases and descriptor from the argument of `defineFamily`. Returns false if there is no id.
function learn(source: Source, { ids, descriptors }: Words): boolean {
  let hasId = false;
  for (const node of source.nodes) {
    if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name)) continue;
    const { initializer } = node;
    if (node.name.text === 'id' && ts.isStringLiteralLike(initializer)) {
      ids.add(initializer.text);
      hasId = true;
    }
    if (node.name.text === 'aliases')
      textsIn(initializer)
        .filter(isTelling)
        .forEach((word) => ids.add(word));
    if (node.name.text === 'file')
      textsIn(initializer).forEach((name) => descriptors.add(name.toLowerCase()));
  }
  return hasId;
}

// A common word such as "code" has other meanings elsewhere, but "cskill" and "dynamic-code" have none.
function isTelling(alias: string): boolean {
  return alias.includes('-') || alias.includes('skill');
}

function textsIn(node: ts.Node): string[] {
  const texts: string[] = [];
  visit(node, (part) => {
    if (ts.isStringLiteralLike(part)) texts.push(part.text);
  });
  return texts;
}

function judge(source: Source, node: ts.Node, { ids, descriptors }: Words): string | undefined {
  const text = textOf(node);
  if (text === undefined || isSpecifier(node) || isTypeName(node)) return undefined;
  if (homonyms.some(({ path, word }) => path === source.path && word === text)) return undefined;
  if (ids.has(text)) return `'${text}' is a family; ask the family instead of naming it.`;
  const lower = text.toLowerCase();
  const descriptor = [...descriptors].find((name) => lower.includes(name));
  if (descriptor === undefined) return undefined;
  return `'${descriptor}' is the descriptor of a family; ask the family for it.`;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return node.text.replaceAll('\\', '');
  return undefined;
}

function isSpecifier({ parent }: ts.Node): boolean {
  return ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
}

// `typeof x === 'function'`, and the cases of `switch (typeof x)`
function isTypeName({ parent }: ts.Node): boolean {
  if (ts.isBinaryExpression(parent)) {
    return ts.isTypeOfExpression(parent.left) || ts.isTypeOfExpression(parent.right);
  }
  return ts.isCaseClause(parent) && ts.isTypeOfExpression(parent.parent.parent.expression);
}
