import ts from 'typescript';
import { at } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Source } from '../source.ts';
import { hasModifier } from '../syntax.ts';

/** Each exported declaration must have a comment directly above it. */
export const comments: Rule = {
  name: 'comments',
  find(tree) {
    return tree
      .filter((source) => source.role === 'code')
      .flatMap((source) =>
        source.syntax.statements
          .filter((statement) => hasModifier(statement, ts.SyntaxKind.ExportKeyword))
          .filter((statement) => !isLaterOverload(statement, source) && !hasComment(statement, source))
          .map((statement) => at(source, statement, 'Say above it what the name cannot.')),
      );
  },
};

function isLaterOverload(statement: ts.Statement, { syntax }: Source): boolean {
  const previous = syntax.statements[syntax.statements.indexOf(statement) - 1];
  if (!previous || !ts.isFunctionDeclaration(statement) || !ts.isFunctionDeclaration(previous)) return false;
  return statement.name?.text === previous.name?.text;
}

// The last comment must end on the line above. Instructions to tools do not count.
function hasComment(statement: ts.Statement, { text, syntax }: Source): boolean {
  const ranges = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? [];
  const last = ranges.findLast(({ pos, end }) => !/^\/[/*]+\s*(?:eslint-|@ts-)/.test(text.slice(pos, end)));
  if (!last) return false;
  const between = text.slice(last.end, statement.getStart(syntax));
  return !/\n\s*\n/.test(between);
}
