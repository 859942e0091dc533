import type { Family } from '../../../core/family.ts';
import type { CommonFlags } from '../../command.ts';
import { shortWord } from '../../find-family.ts';
import { printJson } from '../../output/json.ts';
import { pasteable } from '../../output/pasteable.ts';
import { table, type Column } from '../../output/table.ts';
import { oneLine } from '../../output/text.ts';
import type { Terminal } from '../../terminal.ts';

const columns: readonly Column[] = [
  { title: 'FAMILY', isWhole: true },
  { title: 'SHORT', leaves: 1 },
  { title: 'FILE', leaves: 2 },
  { title: 'A SKILL THAT …' },
];

/** Lists the families that have a template, with what their skills do; the exit code. */
export function listKinds(families: readonly Family[], flags: CommonFlags, terminal: Terminal): number {
  const kinds = families.filter(({ template }) => template !== undefined).map(kindOf);
  if (flags.json) {
    printJson(terminal, { ok: true, families: kinds });
    return 0;
  }
  const rows = kinds.map(({ id, word, file, purpose }) => [id, word, file, purpose]);
  terminal.out(
    table(
      columns,
      rows.map((row) => row.map((text) => ({ text: oneLine(text) }))),
      terminal,
    ),
  );
  if (!flags.quiet) terminal.err(pasteable('Make one: `skilled new <family> <name>`\n', terminal));
  return 0;
}

function kindOf(family: Family): Readonly<Record<'id' | 'word' | 'file' | 'purpose', string>> {
  const { id, label, descriptor, purpose = `is of the kind ${label}` } = family;
  const file =
    descriptor === undefined || 'file' in descriptor ? descriptor?.file : `${descriptor.folder}/*.md`;
  return { id, word: shortWord(family), file: file ?? '', purpose };
}
