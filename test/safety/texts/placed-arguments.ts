/** Returns a command that prints each of its arguments between angle brackets. */
export const show = (words: string): string => `!\`printf -- '<%s>' ${words}\``;
/** Returns the output of such a command. */
export const shown = (...words: readonly string[]): string => words.map((word) => `<${word}>`).join('');

/** The positions of an argument in a command, with the result for the value `x`. */
export const placedArguments: readonly (readonly [string, (value: string) => string])[] = [
  ['!`echo $ARGUMENTS`', (value) => value],
  [show('$ARGUMENTS'), (value) => shown(value)],
  [show('"$ARGUMENTS"'), (value) => shown(value)],
  [show("'$ARGUMENTS'"), (value) => shown(value)],
  [show('"a $ARGUMENTS b"'), (value) => shown(`a ${value} b`)],
  [show("'a $ARGUMENTS b'"), (value) => shown(`a ${value} b`)],
  [show('a$ARGUMENTS"b"'), (value) => shown(`a${value}b`)],
  [show('"$(printf -- %s $ARGUMENTS)"'), (value) => shown(value)],
  [show('"$(printf -- %s "$ARGUMENTS")"'), (value) => shown(value)],
  ['!`word=$ARGUMENTS; printf "<%s>" "$word"`', (value) => shown(value)],
  ['!`for word in $ARGUMENTS; do printf "<%s>" "$word"; done`', (value) => shown(value)],
  ['!`if [[ $ARGUMENTS == x ]]; then echo equal; else echo other; fi`', () => 'other'],
  ['!`printf "<%s>" "$SKILLED_ARG_VALUE"`', (value) => shown(value)],
  ['!`cat <<< $ARGUMENTS`', (value) => value],
  ["```!\nprintf -- '<%s>' $ARGUMENTS\nprintf -- '<%s>' \"$ARGUMENTS\"\n```", (value) => shown(value, value)],
];

/** Positions where this shell or another one would evaluate a value again. */
export const rereadArguments: readonly string[] = [
  '!`sh -c "echo $ARGUMENTS"`',
  "!`bash -c 'echo $ARGUMENTS'`",
  '!`sh -c $ARGUMENTS`',
  '!`env -i bash -lc "$ARGUMENTS"`',
  '!`eval echo $ARGUMENTS`',
  '!`eval "$ARGUMENTS"`',
  '!`trap $ARGUMENTS EXIT`',
  '!`find . -exec sh -c "$ARGUMENTS" ";"`',
  '!`xargs sh -c "$ARGUMENTS"`',
  '!`echo $((1 + $ARGUMENTS))`',
  '!`echo ${x:-$ARGUMENTS}`',
  '!`[[ 1 -eq $ARGUMENTS ]]`',
  '!`echo x # $ARGUMENTS`',
  '!`$ARGUMENTS`',
  '!`PATH=$ARGUMENTS echo x`',
  '!`declare -i x=$ARGUMENTS`',
  '!`let x=$ARGUMENTS`',
  '!`test -v $ARGUMENTS`',
  '!`printf -v $ARGUMENTS x`',
  '!`read $ARGUMENTS < inside.txt`',
  '!`unset $ARGUMENTS`',
  '!`alias $ARGUMENTS`',
  '!`source $ARGUMENTS`',
  '!`. $ARGUMENTS`',
  '```!\ncat <<EOF\n$ARGUMENTS\nEOF\n```',
  "```!\ncat <<'EOF'\n$ARGUMENTS\nEOF\n```",
];
