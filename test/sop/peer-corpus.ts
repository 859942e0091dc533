import type { Json } from '../../src/core/json.ts';

/** A script in the older language, with its outcome there. */
export interface PeerScript {
  readonly title: string;
  readonly script: string;
  readonly input?: Json;
  /** The variables, in their public form. */
  readonly variables: Readonly<Record<string, Json>>;
  /** The answer. Absent if the session returns none. */
  readonly answer?: Json;
}

/** Scripts that run without errors in the older language. */
export const peerScripts: readonly PeerScript[] = [
  {
    title: 'one line, whose variable is the answer',
    script: '@greeting echo Hello Ann',
    variables: { greeting: 'Hello Ann' },
    answer: 'Hello Ann',
  },
  {
    title: 'lines end with CRLF',
    script: '@a echo one\r\n@b echo $a two\r\n@result echo $b three\r\n',
    variables: { a: 'one', b: 'one two', result: 'one two three' },
    answer: 'one two three',
  },
  {
    title: 'a byte order mark and zero-width characters at the start',
    script: '\uFEFF\u200B@a echo one',
    variables: { a: 'one' },
    answer: 'one',
  },
  {
    title: 'zero-width characters before later lines and comments',
    script: '\u200B# first\n@a echo one\n\u200B@b echo $a\n \u2060\u00AD@result echo $b',
    variables: { a: 'one', b: 'one', result: 'one' },
    answer: 'one',
  },
  {
    title: 'declarations are indented',
    script: '   @a echo one\n\t@answer echo $a',
    variables: { a: 'one', answer: 'one' },
    answer: 'one',
  },
  {
    title: 'names have dots, dashes and letters of any script',
    script: '@user.name echo Ann\n@größe-1 echo $user.name\n@result args $user.name $größe-1',
    variables: { 'user.name': 'Ann', 'größe-1': 'Ann', result: ['Ann', 'Ann'] },
    answer: ['Ann', 'Ann'],
  },
  {
    title: 'quotes of both kinds hold blanks and the other kind',
    script: `@a args "one two" 'three "four"' "it's"`,
    variables: { a: ['one two', 'three "four"', "it's"] },
    answer: ['one two', 'three "four"', "it's"],
  },
  {
    title: 'escapes',
    script: String.raw`@a args "a\nb" "c\td" "e\\f" "g\"h" 'i\'j' "k\rl"`,
    variables: { a: ['a\nb', 'c\td', 'e\\f', 'g"h', "i'j", 'k\rl'] },
    answer: ['a\nb', 'c\td', 'e\\f', 'g"h', "i'j", 'k\rl'],
  },
  {
    title: 'any other escaped character is itself',
    script: String.raw`@a args "\a\$\#" "\u0041"`,
    variables: { a: ['a$#', 'u0041'] },
    answer: ['a$#', 'u0041'],
  },
  {
    title: 'a quote inside a word is a part of it',
    script: '@a args a"b c"d',
    variables: { a: ['a"b', 'c"d'] },
    answer: ['a"b', 'c"d'],
  },
  {
    title: 'a string ends its word',
    script: '@a args "abc"def',
    variables: { a: ['abc', 'def'] },
    answer: ['abc', 'def'],
  },
  {
    title: 'empty strings are arguments',
    script: `@a args "" '' x`,
    variables: { a: ['', '', 'x'] },
    answer: ['', '', 'x'],
  },
  {
    title: 'a command without arguments',
    script: '@a count',
    variables: { a: 0 },
    answer: 0,
  },
  {
    title: 'a reference is a whole value',
    script: '@person record Ann tall kind\n@result name-of $person',
    variables: { person: { name: 'Ann', tags: ['tall', 'kind'] }, result: 'Ann' },
    answer: 'Ann',
  },
  {
    title: 'values of every kind pass through references',
    script: '@n count a b\n@list args $n $n\n@result args $list $n',
    variables: { n: 2, list: [2, 2], result: [[2, 2], 2] },
    answer: [[2, 2], 2],
  },
  {
    title: 'a reference in quotes, or inside a word, is text',
    script: `@x echo one\n@result args "$x" '$x' cost$x $x`,
    variables: { x: 'one', result: ['$x', '$x', 'cost$x', 'one'] },
    answer: ['$x', '$x', 'cost$x', 'one'],
  },
  {
    title: 'continuation lines are one more argument, unchanged',
    script: '@a args first\n\n  indented $x "quoted"\n    more # no comment\n\n  last\n\n@b count $a',
    variables: { a: ['first', '  indented $x "quoted"\n    more # no comment\n\n  last'], b: 1 },
  },
  {
    title: 'a continuation follows references',
    script: '@x echo one\n@result args $x two\nthree $x',
    variables: { x: 'one', result: ['one', 'two', 'three $x'] },
    answer: ['one', 'two', 'three $x'],
  },
  {
    title: 'comments above and after a declaration are shown with it',
    script: '# Look.\n#   Twice.\n@a note x # Done.\n@b note',
    variables: { a: 'Look.\nTwice.\nDone.', b: 'none' },
  },
  {
    title: 'a comment that is not directly above a declaration belongs to none',
    script: '# Nobody’s.\n\n@result note',
    variables: { result: 'none' },
    answer: 'none',
  },
  {
    title: 'a comment-like line between lines of text is text',
    script: '@a args\none\n# two\nthree\n@b count',
    variables: { a: ['one\n# two\nthree'], b: 0 },
  },
  {
    title: 'a hash in quotes is text',
    script: '@a args "one # two" # three',
    variables: { a: ['one # two'] },
    answer: ['one # two'],
  },
  {
    title: 'a heredoc of assign',
    script: '@a assign\n--begin-TEXT--\nDear $name,\n\n  # not a comment\n--end-TEXT--\n@result upper $a',
    variables: { a: 'Dear $name,\n\n  # not a comment', result: 'DEAR $NAME,\n\n  # NOT A COMMENT' },
    answer: 'DEAR $NAME,\n\n  # NOT A COMMENT',
  },
  {
    title: 'assign joins its arguments with blanks',
    script: '@who assign Ann\n@result assign Hello "dear " $who !',
    variables: { who: 'Ann', result: 'Hello dear  Ann !' },
    answer: 'Hello dear  Ann !',
  },
  {
    title: 'the order of lines does not matter',
    script: '@result echo $b !\n@c echo $b $a\n@b echo $a two\n@a echo one\n@d echo $result',
    variables: { result: 'one two !', c: 'one two one', b: 'one two', a: 'one', d: 'one two !' },
    answer: 'one two !',
  },
  {
    title: 'lines are counted from one',
    script: '\n# first\n@a line\n\n\n@b line',
    variables: { a: 3, b: 6 },
  },
  {
    title: 'a diamond',
    script: '@top echo t\n@left echo $top l\n@right echo $top r\n@answer echo $left $right',
    variables: { top: 't', left: 't l', right: 't r', answer: 't l t r' },
    answer: 't l t r',
  },
  {
    title: 'a failure blocks what needs it and nothing else',
    script: '@a refuse out of paper\n@b echo $a\n@c echo $b\n@d echo fine',
    variables: { a: 'fail:out of paper', b: 'undefined:a', c: 'undefined:a', d: 'fine' },
  },
  {
    title: 'an exception is a failure with its message',
    script: '@a boom no such file',
    variables: { a: 'fail:no such file' },
  },
  {
    title: 'a failure without words',
    script: '@a refuse\n@b boom',
    // There, both are an unknown failure; here an error without a message is called one.
    variables: { a: 'fail:unknown failure', b: 'fail:it threw an error without a message' },
  },
  {
    title: 'a command that says nothing blocks silently',
    script: '@a silent\n@b echo $a\n@c echo c',
    variables: { a: 'undefined:the command returned no result', b: 'undefined:a', c: 'c' },
  },
  {
    title: 'a guard that cancels takes along what needs it',
    script: '@ok check no\n@mail echo send $ok\n@log echo $mail\n@other echo stays',
    variables: { ok: 'canceled:not wanted', mail: 'canceled:ok', log: 'canceled:ok', other: 'stays' },
  },
  {
    title: 'a guard that does not cancel is a value',
    script: '@ok check yes\n@result echo sent $ok',
    variables: { ok: 'yes', result: 'sent yes' },
    answer: 'sent yes',
  },
  {
    title: 'what needs something failed and something canceled',
    script: '@bad refuse broken\n@off check no\n@both echo $bad $off',
    variables: { bad: 'fail:broken', off: 'canceled:not wanted', both: 'undefined:bad' },
  },
  {
    title: 'a supplied input',
    script: '@result upper $input',
    input: 'hello',
    variables: { result: 'HELLO' },
    answer: 'HELLO',
  },
  {
    title: 'a supplied input that the script declares itself',
    script: '@input echo mine\n@result upper $input',
    input: 'hello',
    variables: { input: 'mine', result: 'MINE' },
    answer: 'MINE',
  },
  {
    title: 'final_answer is the answer, whatever other names there are',
    script: '@result echo no\n@last final_answer "The end."\n@answer echo no',
    variables: { result: 'no', last: 'The end.', answer: 'no' },
    answer: 'The end.',
  },
  {
    title: 'final_answer gives an object as it is',
    script: '@person record Ann\n@last final_answer $person',
    variables: { person: { name: 'Ann', tags: [] }, last: { name: 'Ann', tags: [] } },
    answer: { name: 'Ann', tags: [] },
  },
  {
    title: 'lastAnswer comes before the other names',
    script: '@result echo no\n@lastAnswer echo yes',
    variables: { result: 'no', lastAnswer: 'yes' },
    answer: 'yes',
  },
  {
    title: 'result, final, answer, domain: the first that there is',
    script: '@domain echo four\n@answer echo three\n@final echo two',
    variables: { domain: 'four', answer: 'three', final: 'two' },
    answer: 'two',
  },
  {
    title: 'several variables and none of those names',
    script: '@a echo one\n@b echo two',
    variables: { a: 'one', b: 'two' },
  },
];

/** Scripts that the older language refuses before anything runs, with the first error of this one. */
export const refusedScripts: readonly (readonly [
  title: string,
  script: string,
  error: `${number}:${number} ${string}`,
])[] = [
  ['text before the first declaration', 'echo one\n@a echo one', '1:1 sop.no-declaration'],
  ['a declaration without a name', '@a echo one\n@ echo two', '2:1 sop.no-name'],
  ['a declaration without a command', '@a', '1:1 sop.no-command'],
  ['a variable twice', '@a echo one\n@a echo two', '2:1 sop.duplicate'],
  ['a string without an end', '@a echo "one\n@b echo two', '1:9 sop.open-string'],
  ['an escape without a character', '@a echo "one\\', '1:13 sop.open-escape'],
  ['a heredoc without an end', '@a assign\n--begin-T--\none', '2:1 sop.open-heredoc'],
  ['text after a heredoc', '@a assign\n--begin-T--\none\n--end-T--\ntwo', '5:1 sop.after-heredoc'],
  ['a variable that does not exist', '@a echo $b', '1:9 sop.undefined'],
  ['input that was not supplied', '@a echo $input', '1:9 sop.undefined'],
  ['a circle', '@a echo $b\n@b echo $c\n@c echo $a', '1:1 sop.cycle'],
  ['a variable that needs itself', '@a echo $a', '1:1 sop.cycle'],
  ['a command that is not listed', '@a print one', '1:4 sop.unknown-command'],
];
