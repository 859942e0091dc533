import { isAssistant, isJsonObject, type Json, type RunEvent } from '../../../core/index.ts';
import { lineText, treeLines, type FrameNode, type RunTree, type TreeNode } from '../../../views/index.ts';
import {
  cutTo,
  dim,
  manyLines,
  oneLine,
  pasteableLines,
  widthOf,
  wrapWords,
  type Invocation,
  type LiveLines,
  type Terminal,
} from '../../command-kit.ts';
import { renderMarkdown } from '../../output/markdown/render.ts';
import { createWrittenText, isForPeople, type RunView } from '../../runs/run-view.ts';

/** The view of a turn in progress. */
interface Transcript {
  /** Shows the run until the view is disposed. A run that waits and continues is shown several times. */
  readonly open: () => RunView;
}

const drawEvery = 100; // The redraw interval, in milliseconds.
const leastRows = 4; // The minimum number of rows for the model's text.

/**
 * Creates the view of a turn: one dim line for each finished call, and below them, redrawn in place, the calls
 * that are running and the text that a model is writing. Returns undefined if the terminal cannot redraw lines.
 */
export function createTranscript({ flags, terminal }: Invocation): Transcript | undefined {
  const { live } = terminal;
  if (live === undefined || flags.json || flags.quiet) return undefined;
  const written = createWrittenText();
  const say = (line: string): void => terminal.err(`${line}\n`);

  const see = (event: RunEvent, tree: RunTree): void => {
    written.see(event);
    if (event.type === 'skill.selected' && isChosenForUser(event)) say(chosenLine(event, terminal));
    const root = tree.children.findLast((node) => node.kind === 'frame'); // It answers the user.
    if (event.type === 'model.ended' && event.frameId === root?.id && event.reply.calls.length > 0)
      sayText(event.reply.text);
    if (event.type === 'frame.ended' || event.type === 'call.refused') {
      const ended = endedCall(event, tree);
      if (ended !== undefined) callLines(ended, tree, live, terminal).forEach(say);
    }
  };
  const sayText = (text: string): void => {
    if (text.trim() === '' || !isForPeople(text)) return;
    const { columns } = live.screen();
    terminal.err(`${renderMarkdown(text, { width: columns, color: terminal.color }).join('\n')}\n`);
  };

  return {
    open() {
      let shown: RunTree | undefined;
      const draw = (): void => {
        if (shown === undefined) return live.show([dim('…', terminal)]);
        const { columns, rows } = live.screen();
        const tree = runningLines(shown, columns - 1).map((line) => dim(line, terminal));
        const text = renderMarkdown(written.text(), {
          width: columns - 1,
          color: terminal.color,
          isLive: true,
        });
        const room = Math.max(leastRows, rows - 4 - tree.length);
        live.show([...tree, ...(text.length === 1 && text[0] === '' ? [] : text.slice(-room))]);
      };
      const timer = setInterval(draw, drawEvery);
      draw();
      return {
        see(event, tree) {
          shown = tree;
          see(event, tree);
        },
        [Symbol.dispose]() {
          clearInterval(timer);
          live.wipe();
          sayText(written.cutOff());
        },
      };
    },
  };
}

type Selected = Extract<RunEvent, { type: 'skill.selected' }>;

/** Whether skilled chose the skill that answers, and not the user. */
export function isChosenForUser({ by }: Selected): boolean {
  return ['ranking', 'model', 'session'].includes(by);
}

/** Formats which skill answers, and how well it matches: `→ repair-quote 0.82`. */
export function chosenLine({ skill, evidence }: Selected, terminal: Terminal): string {
  const match = evidence === undefined || evidence.score === 0 ? '' : ` ${evidence.score.toFixed(2)}`;
  return dim(`→ ${oneLine(skill)}${match}`, terminal);
}

/** Returns the call that an event ended, if the frame that answers the user made it. */
function endedCall(event: RunEvent, { children }: RunTree): TreeNode | undefined {
  const calls = children.flatMap((node) => (node.kind === 'frame' ? node.children : []));
  if (event.type === 'frame.ended')
    return calls.find((node) => node.kind === 'frame' && node.id === event.frameId);
  return calls.findLast(
    (node) => node.kind === 'refused' && event.type === 'call.refused' && node.key === event.key,
  );
}

const maxReasonRows = 6; // `/tree` shows the whole reason.

/**
 * Formats a finished call as one line, with the number of calls below it. If it failed or was refused, the
 * reason follows below.
 */
function callLines(node: TreeNode, tree: RunTree, live: LiveLines, terminal: Terminal): readonly string[] {
  const [line] = treeLines({ ...tree, activities: [], children: [folded(node)] }, { now: tree.updatedAt });
  if (line === undefined) return [];
  const inner = node.kind === 'frame' ? countCalls(node) : 0;
  const facts = [...(inner === 0 ? [] : [`${inner} ${inner === 1 ? 'call' : 'calls'}`]), ...line.facts];
  const reason = reasonIn(node);
  const detail = line.status === 'interrupted' ? oneLine(line.detail) : shortInput(node.input);
  const room = live.screen().columns - 1;
  const whole = { ...line, branch: '  ', name: nameIn(line), facts };
  const left = room - widthOf(lineText({ ...whole, detail: '' })) - 1;
  const head = cutTo(lineText({ ...whole, detail: left < 4 ? '' : cutTo(detail, left) }), room);
  const look = { width: room, indent: '    ' };
  const rows = reason === undefined ? [] : pasteableLines(oneLine(reason), terminal, look);
  const last = rows.length > maxReasonRows ? [`${cutTo(rows[maxReasonRows - 1] ?? '', room - 2)} …`] : [];
  const shown = last.length === 0 ? rows : [...rows.slice(0, maxReasonRows - 1), ...last];
  return [head, ...shown, ...shownNotes(node, room)].map((row) => dim(row, terminal));
}

/** Returns the notes that a skill shows to the user, such as a list of steps. */
function shownNotes(node: TreeNode, width: number): readonly string[] {
  if (node.kind !== 'frame') return [];
  const texts = node.notes.filter(({ data }) => isJsonObject(data) && data['level'] === 'show');
  return texts.flatMap(({ message }) =>
    manyLines(message)
      .split('\n')
      .flatMap((line) => wrapWords(`    ${line}`, width, '        ')),
  );
}

/** Returns the name to show in a line. The assistant has a plain name here. */
function nameIn({ name }: { readonly name: string }): string {
  return isAssistant(name) ? 'assistant' : oneLine(name);
}

/** Returns why a call was refused or failed, without the code that `/tree` shows. */
function reasonIn(node: TreeNode): string | undefined {
  if (node.kind === 'refused') {
    const { message, details } = node.error;
    const reason = isJsonObject(details) ? details['denied'] : undefined;
    return typeof reason === 'string' ? `Denied: ${reason}` : message;
  }
  if (node.output?.status !== 'failed') return undefined;
  const { message, hint = '' } = node.output.error;
  return `${message} ${hint}`.trim();
}

function countCalls({ children }: FrameNode): number {
  return children.reduce((sum, node) => sum + 1 + (node.kind === 'frame' ? countCalls(node) : 0), 0);
}

/** Returns what a call is about: its only or first text, such as a path or a command. */
function shortInput(input: Json): string {
  const values = isJsonObject(input) ? Object.values(input) : [input];
  const text = values.find((value) => typeof value === 'string' && value !== '');
  if (typeof text === 'string') return oneLine(text);
  const isFlat = values.every((value) => typeof value !== 'object' || value === null);
  const json = JSON.stringify(input);
  return !isFlat || ['null', '{}', '""'].includes(json) ? '' : oneLine(json);
}

/** Draws the calls that are running. Finished calls below them take one line each. */
function runningLines(tree: RunTree, width: number): readonly string[] {
  const running = tree.children.filter(isRunning).map((node) => ({
    ...unannotated(node),
    ...(isAssistant(node.skill) ? { input: null } : {}),
    children: node.children.filter(isRunning).map(withFoldedCalls),
  }));
  const lines = treeLines({ ...tree, activities: [], children: running }, { now: Date.now() });
  return lines.map((line) => {
    const safe = { ...line, name: nameIn(line), facts: line.facts.map(oneLine) };
    const left = width - widthOf(lineText({ ...safe, detail: '' })) - 1;
    return cutTo(lineText({ ...safe, detail: left < 4 ? '' : cutTo(oneLine(line.detail), left) }), width);
  });
}

function isRunning(node: TreeNode): node is FrameNode {
  return node.kind === 'frame' && node.endedAt === undefined;
}

function withFoldedCalls(node: FrameNode): FrameNode {
  const children = node.children.map((one) => (isRunning(one) ? withFoldedCalls(one) : folded(one)));
  return { ...unannotated(node), children };
}

function folded(node: TreeNode): TreeNode {
  return node.kind === 'frame' ? { ...unannotated(node), children: [] } : node;
}

/** Removes the notes and steps of a call, which `/tree` shows. */
function unannotated(node: FrameNode): FrameNode {
  const activities = node.activities.filter(({ question }) => question !== undefined);
  return { ...node, notes: [], artifacts: [], activities };
}
