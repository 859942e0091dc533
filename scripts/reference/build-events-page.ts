import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { codeOf, fenceOf, pageHead, tableOf } from './markdown.ts';
import { collectTypes } from './collect-types.ts';
import { commentAbove, findType, readSource, root } from './read-source.ts';

const file = 'src/core/event.ts';
const logs = 'test/journeys/fixtures/*.jsonl';

/** Builds the event reference from the types of events, their comments and the logs in the test fixtures. */
export function buildEventsPage(): string {
  const source = readSource(file);
  const union = findType('EventBody', source);
  if (union === undefined || !ts.isTypeAliasDeclaration(union) || !ts.isUnionTypeNode(union.type))
    throw new Error(`${file} has no union of events.`);
  const examples = shortestLines();
  const events = union.type.types.map((member) => eventOf(member, source));
  const envelope = membersOf(findType('Envelope', source), source);
  const types = collectTypes([...envelope, ...events.flatMap(({ members }) => members)], source);
  return [
    pageHead('Events', `${file} and ${logs}`),
    'The log of a [run](../running.md) is a list of events. Every view of a run is derived from it; nothing else is stored. `skilled trace <run> --events` and `skilled runs export <run>` print the log, one event per line. `--json --stream` prints events as they happen, and `agent.runs.events(id)` returns them. `skilled demo --events` prints a complete example.\n',
    'New releases can add members and event types; ignore the ones you do not know. Every event has these members:\n',
    fieldTable(envelope),
    'The examples come from real logs, without `runId`, `seq` and `at`; one also lacks its `frameId`.\n',
    ...events.map((event) => sectionOf(event, examples.get(event.type))),
    '## Types\n',
    fenceOf('ts', types),
  ].join('\n');
}

interface Event {
  readonly type: string;
  readonly meaning: string;
  readonly members: readonly ts.PropertySignature[];
}

function eventOf(member: ts.TypeNode, source: ts.SourceFile): Event {
  const named = ts.isTypeReferenceNode(member) ? findType(member.typeName.getText(), source) : undefined;
  const all = membersOf(named ?? member, source);
  const isType = (property: ts.PropertySignature): boolean => property.name.getText() === 'type';
  const type = all.find(isType)?.type?.getText().replaceAll("'", '') ?? '';
  const meaning = commentAbove(named ?? member);
  if (type === '' || meaning === '') throw new Error(`${file} does not say what ${member.getText()} means.`);
  return { type, meaning, members: all.filter((property) => !isType(property)) };
}

/** Returns the members of a type, inherited members first. */
function membersOf(node: ts.Node | undefined, source: ts.SourceFile): readonly ts.PropertySignature[] {
  if (node === undefined) return [];
  if (ts.isTypeLiteralNode(node)) return node.members.filter(ts.isPropertySignature);
  if (!ts.isInterfaceDeclaration(node)) return [];
  const above = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap(({ expression }) => membersOf(findType(expression.getText(), source), source)),
  );
  return [...above, ...node.members.filter(ts.isPropertySignature)];
}

function sectionOf({ type, meaning, members }: Event, example: string | undefined): string {
  const shown = example === undefined ? 'It is never in a log.\n' : fenceOf('json', example);
  return [`## ${type}\n`, `${meaning}\n`, ...(members.length === 0 ? [] : [fieldTable(members)]), shown].join(
    '\n',
  );
}

function fieldTable(members: readonly ts.PropertySignature[]): string {
  return tableOf(
    ['member', 'type', 'meaning'],
    members.map((member) => [
      codeOf(member.name.getText() + (member.questionToken === undefined ? '' : '?')),
      codeOf((member.type?.getText() ?? '').replaceAll('readonly ', '').replace('typeof eventVersion', '1')),
      commentAbove(member),
    ]),
  );
}

/** Returns the shortest line in the fixture logs for each type of event. */
function shortestLines(): ReadonlyMap<string, string> {
  const lines = globSync(logs, { cwd: root })
    .sort()
    .flatMap((log) => readFileSync(path.join(root, log), 'utf8').trim().split('\n'));
  const shortest = new Map<string, string>();
  for (const line of lines) {
    const { type } = JSON.parse(line) as { readonly type: string };
    if (line.length < (shortest.get(type)?.length ?? Infinity)) shortest.set(type, line);
  }
  return new Map([...shortest].map(([type, line]) => [type, withoutPlaceholderId(line)]));
}

/** Removes placeholder frame ids. Fixture logs contain words in place of ids that differ in every run. */
function withoutPlaceholderId(line: string): string {
  return line.replace(/"frameId":"(?!f_|")[^"]*",/, '');
}
