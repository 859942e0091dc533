import { compilePhrases } from '../../../engines/phrases/phrases.ts';

const articleRow = 'the|a|an|any|our|my|its|their|his|her|this|these|those';
const introducerRow = 'where|whose|which|that|who|with|having|have|has|had|when';
const prepositionRow = 'in|from|of|for|on|at|with|within|inside';
const beingRow = 'is|are|was|were|be|being';
const allRow = 'all|every|each|everything|everyone|anything|anyone';
const nounRow = 'record|records|row|rows|entry|entries|item|items|ones';
const measures = {
  sum: 'sum|sum of|sum up|total|total of|total up',
  average: 'average|average of|avg|avg of|mean|mean of',
  minimum: 'min|min of|minimum|minimum of|lowest|smallest|least|earliest',
  maximum: 'max|max of|maximum|maximum of|highest|largest|greatest|biggest',
};

/**
 * All words that requests can use, by what they are for. `|` separates phrases. Phrases with several meanings are
 * rows of their own. To teach the parser another phrase, add it to its row.
 */
const rows = {
  // Small words.
  articles: articleRow,
  introducers: introducerRow,
  prepositions: prepositionRow,
  beings: beingRow,
  // Words that mean all records.
  alls: allRow,
  // Nouns that mean records in any table.
  nouns: nounRow,
  // Words around the table's name that add no meaning.
  aroundTable: `${articleRow}|${allRow}|${nounRow}`,
  // Words before a comparison that add no meaning.
  beforeComparison: `${introducerRow}|${prepositionRow}|${articleRow}|${beingRow}`,
  // Words between the records and a value that describes them.
  beforeValue: `${beingRow}|that|which|who|where|in|with|has|have`,
  spokenStarts: `${beingRow}|where|whose|that|which|who`,
  nothings: 'null|nothing|none|empty',
  doings: 'have|has|had|do|does|did|can|could|will|would|should|must|may',
  negation: 'not',
  without: 'without|no|lacking',
  clauseAbsence: 'without|no',
  owners: 'with|having|have|has|had',
  sureStart: 'where|whose',
  predicates: 'is|are|was|were|has|have|had|no|not',
  bracketLeads: 'where|when|that|which|who',

  // Symbols and the words that join parts.
  comma: ',',
  separators: ',|;',
  itemSeparators: ',|;|or|and',
  opening: '(|[',
  closing: ')|]',
  brackets: '(|)|[|]',
  ands: 'and|but|&|plus',
  or: 'or',
  betweenValues: 'or|nor',
  commaOrAnd: ',|and',
  and: 'and',
  // Words that end an unquoted value, and symbols that do so unless they are part of a web address.
  valueBreaks: 'and|or|but|nor|&|plus',
  valueStops: ',|;|(|)|[|]|=|!=|<|<=|>|>=',
  signs: '=|!=|<|<=|>|>=|:',
  operators: '=|!=|<|<=|>|>=',
  assignSigns: '=|:',

  // Comparisons.
  symbols: {
    equals: '=|:',
    'not-equals': '!=',
    less: '<',
    'at-most': '<=',
    more: '>',
    'at-least': '>=',
  },
  supports: {
    is: beingRow,
    not: "isn't|aren't|wasn't|weren't|isnt|arent|does not|do not|did not|doesn't|don't|didn't|doesnt|dont|cannot be",
    does: 'does|do|did',
  },
  // These phrases have their own comparisons, because the negation of `more` or `less` would also match missing
  // values.
  idioms: {
    'at-most': 'not more than|not greater than|not later than',
    'at-least': 'not less than|not fewer than|not earlier than',
  },
  comparisonPhrases: {
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
  },
  // Phrases after a value that open the comparison to one side, as in `5 or more`.
  openEnds: {
    'at-least': 'or more|or higher|or above|or over|or later|or after|and more|and up|and above|and later',
    'at-most':
      'or less|or fewer|or lower|or below|or under|or earlier|or before|and less|and below|and earlier',
  },
  rangeJoints: 'to|until|till|-',
  betweenJoints: 'and|to|-',

  // Periods: `this week`, `the last 7 days`.
  periodLeads: 'in|during|within|on|the|of',
  shifts: { '0': 'this|current', '-1': 'last|past|previous', '1': 'next|coming' },
  units: {
    day: 'day|days',
    week: 'week|weeks',
    month: 'month|months',
    quarter: 'quarter|quarters',
    year: 'year|years',
    hour: 'hour|hours',
    minute: 'minute|minutes',
  },

  // Sort orders, windows and groups.
  orderings:
    'sort by|sorted by|order by|ordered by|sorting by|ordering by|sort it by|sort them by|arranged by',
  directions: {
    up: 'asc|ascending|up|upwards|in ascending order|from low to high|a to z',
    down: 'desc|descending|down|downwards|in descending order|from high to low|z to a|in reverse',
  },
  // Phrases that sort by the table's only date field.
  ages: {
    down: 'newest first|latest first|most recent first',
    up: 'oldest first',
  },
  windows: {
    first: 'first|only the first',
    top: 'top',
    last: 'last',
    limit: 'limit|limit to|limited to',
    skip: 'skip|offset|skipping',
    page: 'page',
    newest: 'newest|latest|most recent',
    oldest: 'oldest',
  },
  // Windows that an unquoted value cannot contain before a number, and those that can begin a request.
  sureWindows: 'first|last|top|limit|skip|offset|page',
  leadingWindows: 'first|last|top',
  leadingAges: 'newest|latest|oldest',
  groupings: 'by|per|grouped by|group by|for each|for every|by each|broken down by|split by',
  sureGroupings: 'by|per|grouped|group',
  eachGroupings: 'per|for',
  sortJoints: 'and|then',
  by: 'by',

  // Words in a list that add no meaning.
  listFillers:
    'me|us|please|are there|is there|there are|do we have|do i have|exist|currently|now|only|field|fields|column|columns|showing',
  beforeTable: 'of|from|in|for|on|over|across|among',
  persons: 'me|us|for',
  ofs: 'of|for|from|on',
  columnEnds: 'of|from|for',
  beforeColumns: ',|and|&|plus|field|fields|column|columns|only|showing',
  measureFillers: 'of|the|all|up|for',

  // Assignments and the records that they apply to.
  assignJoints: 'to|=|:|as|is|to be|set to',
  shortJoints: 'to|=|:|as|is',
  assignLeads: 'set|change|make|with|please|please set|please change|update',
  connectors: 'and|&|plus|with',
  // Prepositions that can precede the records to change.
  targetLeads: 'for|on|of|in|from',
  conditionWords: 'where|whose|with|having|and|or|not|has|have',
  hiddenTargets: 'for|of',
  tos: 'to|=|as|:',
  setLeads: 'set|:|,|with|so|to',
  setWord: 'set',
  ases: 'as',
  addFillers: 'a|an|new|another|one|the|to|into|in',
  addLeads: 'with|where|having|:|whose',
  // Words in a sentence about a new record that introduce its name or its place.
  describers: { name: 'called|named|labelled|labeled', location: 'in|at|on' },

  // Words between the parts of such a sentence, which add no meaning.
  betweenDescriptions: `${articleRow}|${beingRow}|,|;|and|with|where|having|which|that|new|to|into`,

  // Files.
  importLeads: 'from|the|file|data|of',
  intos: 'into|to|in',
  importFillers: 'and|,|please',
  exportLeads: 'to|into|in|as',
  fileWords: 'the|a|file',
  sureFileLeads: 'to|into',
  formats: {
    csv: 'csv|as csv|as a csv file|as csv file',
    json: 'json|as json|as a json file|as json file',
  },
  partialImports: ['skipping', 'skip', 'ignoring', 'ignore', 'without', 'leaving out', 'leave out']
    .flatMap((verb) => ['faulty', 'bad', 'invalid', 'wrong', 'broken'].map((kind) => `${verb} ${kind}`))
    .flatMap((start) => ['rows', 'records', 'lines', 'ones', 'entries'].map((noun) => `${start} ${noun}`))
    .join('|'),

  // Beginnings of requests.
  courtesies: "please|can you|could you|would you|i want to|i would like to|i'd like to|let us|now",
  verbs: {
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
  },
  // "Open" is a verb only before a single key, because it can also be a status value.
  openVerb: { open: 'open' },
  // Measures that can follow "what is".
  askedMeasures: {
    count: 'the number of|number of|the total number of|how many',
    ...(Object.fromEntries(
      Object.entries(measures).map(([measure, row]) => [
        measure,
        `${row}|the ${row.replaceAll('|', '|the ')}`,
      ]),
    ) as typeof measures),
  },

  // Requests that consist of fixed words.
  plainRequests: {
    undo: 'undo|undo it|undo that|undo this|undo last change|undo the last change|undo my last change|undo last|undo the last one|revert|revert it|revert that|revert last change|revert the last change|revert my last change',
    fields:
      'fields|columns|help|describe|describe fields|describe the fields|explain|structure|schema|the fields|list fields|list the fields|show fields|show the fields|show columns|list columns|what fields are there|which fields are there|what can i ask|what can i do|what can i say|what can you do|what fields|which fields|what are the fields',
    next: 'next|more|next page|show more|show me more|continue|further|next ones|the next page|go on',
    previous: 'previous|previous page|back|prev|go back|page back|the previous page|previous ones',
  },
  beforeDescribed: 'of|for|in|with',
};

/** All phrases that requests can use, indexed by their first word. */
export const grammar = compilePhrases(rows);
