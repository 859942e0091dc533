/** Phrases by their first word, longest first, each with its meaning. */
export type Phrases<Meaning = true> = ReadonlyMap<string, readonly Phrase<Meaning>[]>;

interface Phrase<Meaning> {
  readonly words: readonly string[];
  readonly meaning: Meaning;
}

/**
 * Indexes phrases by their meaning. `|` separates phrases. This file has all words that requests can use: to
 * teach the parser another phrase, add it to its row.
 */
function phrases<Meaning extends string>(rows: Readonly<Record<Meaning, string>>): Phrases<Meaning> {
  const entries = Object.entries(rows) as [Meaning, string][];
  return index(entries.flatMap(([meaning, row]) => row.split('|').map((phrase) => ({ phrase, meaning }))));
}

/** Indexes phrases that have no further meaning. */
function all(...rows: readonly string[]): Phrases {
  return index(rows.flatMap((row) => row.split('|').map((phrase) => ({ phrase, meaning: true as const }))));
}

function index<Meaning>(
  rows: readonly { readonly phrase: string; readonly meaning: Meaning }[],
): Phrases<Meaning> {
  const found = new Map<string, Phrase<Meaning>[]>();
  for (const { phrase, meaning } of rows) {
    const words = phrase.split(' ');
    const [first = ''] = words;
    found.set(first, [...(found.get(first) ?? []), { words, meaning }]);
  }
  for (const list of found.values()) list.sort((a, b) => b.words.length - a.words.length);
  return found;
}

/** Small words. */
const articleRow = 'the|a|an|any|our|my|its|their|his|her|this|these|those';
const introducerRow = 'where|whose|which|that|who|with|having|have|has|had|when';
const prepositionRow = 'in|from|of|for|on|at|with|within|inside';
const beingRow = 'is|are|was|were|be|being';
const allRow = 'all|every|each|everything|everyone|anything|anyone';
const nounRow = 'record|records|row|rows|entry|entries|item|items|ones';

export const articles = all(articleRow);
export const introducers = all(introducerRow);
export const prepositions = all(prepositionRow);
export const beings = all(beingRow);
/** Words that mean all records. */
export const alls = all(allRow);
/** Nouns that mean records in any table. */
export const nouns = all(nounRow);
/** Words around the table's name that add no meaning. */
export const aroundTable = all(articleRow, allRow, nounRow);
/** Words before a comparison that add no meaning. */
export const beforeComparison = all(introducerRow, prepositionRow, articleRow, beingRow);
/** Words between the records and a value that describes them. */
export const beforeValue = all(`${beingRow}|that|which|who|where|in|with|has|have`);
export const spokenStarts = all(`${beingRow}|where|whose|that|which|who`);
export const nothings = all('null|nothing|none|empty');
export const doings = all('have|has|had|do|does|did|can|could|will|would|should|must|may');
export const negation = all('not');
export const without = all('without|no|lacking');
export const clauseAbsence = all('without|no');
export const owners = all('with|having|have|has|had');
export const sureStart = all('where|whose');
export const predicates = all('is|are|was|were|has|have|had|no|not');
export const bracketLeads = all('where|when|that|which|who');

/** Symbols and the words that join parts. */
export const comma = all(',');
export const separators = all(',|;');
export const itemSeparators = all(',|;|or|and');
export const opening = all('(|[');
export const closing = all(')|]');
export const brackets = all('(|)|[|]');
export const ands = all('and|but|&|plus');
export const or = all('or');
export const betweenValues = all('or|nor');
export const commaOrAnd = all(',|and');
export const and = all('and');
/** Words that end an unquoted value, and symbols that do so unless they are part of a web address. */
export const valueBreaks = all('and|or|but|nor|&|plus');
export const valueStops = all(',|;|(|)|[|]|=|!=|<|<=|>|>=');
export const signs = all('=|!=|<|<=|>|>=|:');
export const operators = all('=|!=|<|<=|>|>=');
export const assignSigns = all('=|:');

/** Comparisons. */
export const symbols = phrases({
  equals: '=|:',
  'not-equals': '!=',
  less: '<',
  'at-most': '<=',
  more: '>',
  'at-least': '>=',
});
export const supports = phrases({
  is: beingRow,
  not: "isn't|aren't|wasn't|weren't|isnt|arent|does not|do not|did not|doesn't|don't|didn't|doesnt|dont|cannot be",
  does: 'does|do|did',
});
// These phrases have their own comparisons, because the negation of `more` or `less` would also match missing
// values.
export const idioms = phrases({
  'at-most': 'not more than|not greater than|not later than',
  'at-least': 'not less than|not fewer than|not earlier than',
});
export const comparisonPhrases = phrases({
  equals: 'equals|equal|equal to|exactly|the same as|on|at',
  'not-equals': 'other than|different from|anything but',
  less: 'under|below|less than|fewer than|smaller than|lower than|before|earlier than|prior to|cheaper than',
  'at-most':
    'at most|no more than|up to|until|till|no later than|less than or equal to|less or equal to|smaller than or equal to',
  more: 'over|above|more than|greater than|larger than|bigger than|higher than|after|later than',
  'at-least':
    'at least|no less than|no fewer than|since|no earlier than|greater than or equal to|more than or equal to|greater or equal to|larger than or equal to',
  between: 'between',
  range: 'from',
  in: 'in|one of|any of|either|among',
  'not-in': 'neither|none of',
  contains: 'contains|contain|includes|include|containing|including|contained|mentions|mention|mentioning',
  'starts-with': 'starts with|start with|begins with|begin with|starting with|beginning with',
  'ends-with': 'ends with|end with|ends in|ending with|ending in',
  empty:
    'unset|missing|blank|absent|has no value|have no value|without value|without a value|without any value',
  'not-empty':
    'has a value|have a value|has value|has any value|have any value|set|given|known|filled|present|exists|exist|existing',
});
/** Phrases after a value that open the comparison to one side, as in `5 or more`. */
export const openEnds = phrases({
  'at-least': 'or more|or higher|or above|or over|or later|or after|and more|and up|and above|and later',
  'at-most':
    'or less|or fewer|or lower|or below|or under|or earlier|or before|and less|and below|and earlier',
});
export const rangeJoints = all('to|until|till|-');
export const betweenJoints = all('and|to|-');

/** Periods: `this week`, `the last 7 days`. */
export const periodLeads = all('in|during|within|on|the|of');
export const shifts = phrases({ '0': 'this|current', '-1': 'last|past|previous', '1': 'next|coming' });
export const units = phrases({
  day: 'day|days',
  week: 'week|weeks',
  month: 'month|months',
  quarter: 'quarter|quarters',
  year: 'year|years',
  hour: 'hour|hours',
  minute: 'minute|minutes',
});

/** Sort orders, windows and groups. */
export const orderings = all(
  'sort by|sorted by|order by|ordered by|sorting by|ordering by|sort it by|sort them by|arranged by',
);
export const directions = phrases({
  up: 'asc|ascending|up|upwards|in ascending order|from low to high|a to z',
  down: 'desc|descending|down|downwards|in descending order|from high to low|z to a|in reverse',
});
/** Phrases that sort by the table's only date field. */
export const ages = phrases({
  down: 'newest first|latest first|most recent first',
  up: 'oldest first',
});
export const windows = phrases({
  first: 'first|only the first',
  top: 'top',
  last: 'last',
  limit: 'limit|limit to|limited to',
  skip: 'skip|offset|skipping',
  page: 'page',
  newest: 'newest|latest|most recent',
  oldest: 'oldest',
});
/** Windows that an unquoted value cannot contain before a number, and those that can begin a request. */
export const sureWindows = all('first|last|top|limit|skip|offset|page');
export const leadingWindows = all('first|last|top');
export const leadingAges = all('newest|latest|oldest');
export const groupings = all('by|per|grouped by|group by|for each|for every|by each|broken down by|split by');
export const sureGroupings = all('by|per|grouped|group');
export const eachGroupings = all('per|for');
export const sortJoints = all('and|then');
export const by = all('by');

/** Words in a list that add no meaning. */
export const listFillers = all(
  'me|us|please|are there|is there|there are|do we have|do i have|exist|currently|now|only|field|fields|column|columns|showing',
);
export const beforeTable = all('of|from|in|for|on|over|across|among');
export const persons = all('me|us|for');
export const ofs = all('of|for|from|on');
export const columnEnds = all('of|from|for');
export const beforeColumns = all(',|and|&|plus|field|fields|column|columns|only|showing');
export const measureFillers = all('of|the|all|up|for');

/** Assignments and the records that they apply to. */
export const assignJoints = all('to|=|:|as|is|to be|set to');
export const shortJoints = all('to|=|:|as|is');
export const assignLeads = all('set|change|make|with|please|please set|please change|update');
export const connectors = all('and|&|plus|with');
/** Prepositions that can precede the records to change. */
export const targetLeads = all('for|on|of|in|from');
export const conditionWords = all('where|whose|with|having|and|or|not|has|have');
export const hiddenTargets = all('for|of');
export const tos = all('to|=|as|:');
export const setLeads = all('set|:|,|with|so|to');
export const setWord = all('set');
export const ases = all('as');
export const addFillers = all('a|an|new|another|one|the|to|into|in');
export const addLeads = all('with|where|having|:|whose');
/** Words in a sentence about a new record that introduce its name or its place. */
export const describers = phrases({ name: 'called|named|labelled|labeled', place: 'in|at|on' });

/** Words between the parts of such a sentence, which add no meaning. */
export const betweenDescriptions = all(
  `${articleRow}|${beingRow}|,|;|and|with|where|having|which|that|new|to|into`,
);

/** Files. */
export const importLeads = all('from|the|file|data|of');
export const intos = all('into|to|in');
export const importFillers = all('and|,|please');
export const exportLeads = all('to|into|in|as');
export const fileWords = all('the|a|file');
export const sureFileLeads = all('to|into');
export const formats = phrases({
  csv: 'csv|as csv|as a csv file|as csv file',
  json: 'json|as json|as a json file|as json file',
});
export const partialImports = all(
  ...['skipping', 'skip', 'ignoring', 'ignore', 'without', 'leaving out', 'leave out'].flatMap((verb) =>
    ['faulty', 'bad', 'invalid', 'wrong', 'broken'].flatMap((kind) =>
      ['rows', 'records', 'lines', 'ones', 'entries'].map((noun) => `${verb} ${kind} ${noun}`),
    ),
  ),
);

/** Beginnings of requests. */
export const courtesies = all(
  "please|can you|could you|would you|i want to|i would like to|i'd like to|let us|now",
);
const measures = {
  sum: 'sum|sum of|sum up|total|total of|total up',
  average: 'average|average of|avg|avg of|mean|mean of',
  minimum: 'min|min of|minimum|minimum of|lowest|smallest|least|earliest',
  maximum: 'max|max of|maximum|maximum of|highest|largest|greatest|biggest',
};
export const verbs = phrases({
  list: 'list|show|display|find|get|give me|give us|search|search for|look for|look up|view|fetch|print|see|read',
  question: "which|what|what is|what are|what's|who|who is|who are|tell me",
  count: 'count|how many|number of|the number of|total number of|count of',
  group: 'group',
  ...measures,
  add: 'add|create|new|insert|register',
  update: 'set|change|update|modify|edit',
  mark: 'mark',
  clear: 'clear|unset|empty',
  delete: 'delete|remove|drop|erase',
  import: 'import|load',
  export: 'export|save',
});
/** "Open" is a verb only before a single key, because it can also be a status value. */
export const openVerb = phrases({ open: 'open' });
/** Measures that can follow "what is". */
export const askedMeasures = phrases({
  count: 'the number of|number of|the total number of|how many',
  ...(Object.fromEntries(
    Object.entries(measures).map(([measure, row]) => [measure, `${row}|the ${row.replaceAll('|', '|the ')}`]),
  ) as typeof measures),
});

/** Requests that consist of fixed words. */
export const plainRequests = phrases({
  undo: 'undo|undo it|undo that|undo this|undo last change|undo the last change|undo my last change|undo last|undo the last one|revert|revert it|revert that|revert last change|revert the last change|revert my last change',
  fields:
    'fields|columns|help|describe|describe fields|describe the fields|explain|structure|schema|the fields|list fields|list the fields|show fields|show the fields|show columns|list columns|what fields are there|which fields are there|what can i ask|what can i do|what can i say|what can you do|what fields|which fields|what are the fields',
  next: 'next|more|next page|show more|show me more|continue|further|next ones|the next page|go on',
  previous: 'previous|previous page|back|prev|go back|page back|the previous page|previous ones',
});
export const beforeDescribed = all('of|for|in|with');
