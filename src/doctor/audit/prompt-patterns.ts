import type { AuditPattern } from './diagnostic.ts';

const id = 'hidden-text';
const what = 'The line contains characters that are invisible to people but not to models.';
const hiddenTextHint = 'Delete these characters, or remove the file.';

/** Patterns for invisible and lookalike characters. */
export const hiddenTextPatterns: readonly AuditPattern[] = [
  {
    id,
    severity: 'high',
    what,
    hint: hiddenTextHint,
    // Matches characters of the Unicode tags block outside regional flags, and long runs of other invisible
    // characters.
    find: /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0000}-\u{e007f}]{1,200}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,200}|[\u200b-\u200f\u2060-\u2064\ufeff\u180e\u3164\uffa0]{6,200}/gu,
  },
  {
    id,
    severity: 'high',
    what: 'The line contains characters that reverse the text direction, so it reads differently from how it runs.',
    hint: hiddenTextHint,
    find: /[\u202a-\u202e\u2066-\u2069]/g,
    unless: /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u,
  },
  {
    id,
    severity: 'medium',
    what: 'An invisible character splits a word.',
    hint: hiddenTextHint,
    find: /[A-Za-z]{2}[\u200b-\u200d\u2060-\u2064\u00ad\ufeff]{1,20}[A-Za-z]{2}/g,
  },
  {
    id: 'look-alike',
    severity: 'medium',
    what: 'A word mixes Latin letters with look-alike letters of another script.',
    hint: 'Retype the word, and check what it is used for.',
    find: /(?<![\p{L}\p{N}])(?=[асеорхуіѕјһԁ]{0,40}[A-Za-z])(?=[A-Za-z]{0,40}[асеорхуіѕјһԁ])[A-Za-zасеорхуіѕјһԁ]{3,40}(?![\p{L}])/gu,
  },
];

const injectionHint = 'A skill does not need this; ask its author, or remove it.';

/** Patterns for text that tries to turn a model against its user. */
export const orderPatterns: readonly AuditPattern[] = [
  {
    id: 'override',
    severity: 'high',
    what: 'The text tells the model to ignore its instructions.',
    hint: injectionHint,
    find: /\b(?:ignore|disregard|forget|discard|override(?=\s{1,20}(?:all|any|your)\b))\s{1,20}(?:(?:all|any|every|each|of|the|your|my|these|those|everything|about|in)\s{1,20}){0,4}(?:previous|prior|earlier|preceding|above|former|system)\s{1,20}(?:(?:system|safety|security|user|developer|operator|and|or|set|of)\s{1,20}){0,3}(?:instructions?|prompts?|rules|guidelines?|directives?|guardrails?|restrictions?|orders|constraints?|polic(?:y|ies))\b|\b(?:ignore|disregard|forget|bypass)\s{1,20}(?:all\s{1,20})?(?:of\s{1,20})?your\s{1,20}(?:(?:safety|security|system|ethical|original|initial)\s{1,20}){0,2}(?:instructions?|rules|guidelines?|directives?|guardrails?|restrictions?|training|programming)\b/gi,
  },
  {
    id: 'override',
    severity: 'medium',
    what: 'The text tells the model that its limits no longer apply.',
    hint: injectionHint,
    find: /\b(?:you are|you're)\s{1,20}(?:now\s{1,20})?(?:in\s{1,20})?(?:DAN\b|(?:developer|debug|god|maintenance|jailbreak|unrestricted|admin)\s{1,20}mode\b|(?:free|freed|released)\s{1,20}(?:of|from)\s{1,20}(?:all|any|your)\b)|\b(?:all|every|any)\s{1,20}(?:commands?|tools?|actions?|requests?)\s{1,20}(?:is|are)\s{1,20}(?:now\s{1,20}|already\s{1,20})?pre-?(?:approved|authori[sz]ed)\b|\b(?:approve|accept|confirm)\s{1,20}(?:all|every|any)\s{1,20}(?:of\s{1,20}the\s{1,20})?(?:prompts?|permission requests?|approval requests?)\b|\b(?:approval prompts?|safety (?:checks?|filters?|rules)|permission (?:prompts?|checks?))\s{1,20}(?:is|are|have been)\s{1,20}(?:now\s{1,20})?(?:disabled|turned off|suspended|waived)\b/gi,
    only: 'prose',
  },
  {
    id: 'fake-message',
    severity: 'medium',
    what: 'The text pretends to be a system message.',
    hint: injectionHint,
    find: /^[^\w\n]{0,6}(?:SYSTEM|ADMIN|DEVELOPER)[ _-](?:OVERRIDE|MESSAGE|NOTICE|COMMAND|INSTRUCTIONS?)\b[^\n]{0,80}/gm,
    only: 'prose',
  },
  {
    id: 'fake-message',
    severity: 'high',
    what: 'The text pretends to be a system message.',
    hint: injectionHint,
    find: /<\|(?:im_start|im_end|system|start_header_id|eot_id|endoftext)\|>[^\n]{0,80}|<<\/?SYS>>|<\/(?:available_skills|system-reminder|system_prompt|skill_content|function_results|tool_result)>/gi,
    near: /\b(?:you (?:are|must|will|have|should)|system|instructions?|approved?|ignore|execute)\b/i,
    only: 'prose',
  },
  {
    id: 'concealment',
    severity: 'high',
    what: 'The text tells the model to hide what it does from the user.',
    hint: injectionHint,
    find: /\b(?:do not|don['’]t|never|must not|should not|without)\s{1,20}(?:ever\s{1,20})?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|let(?:ting)?)\s{1,20}(?:the\s{1,20}|your\s{1,20}|any\s{1,20})?(?:user|human|operator|owner|person|anyone|anybody)s?\b(?!\s{1,20}(?:to|how|unless|until|if|when|you|they|it['’]?s|yet)\b)[^\n.]{0,60}/gi,
    near: /\b(?:send|post|upload|curl|wget|https?:|exfiltrat\w*|credentials?|secrets?|tokens?|keys?|\.env|\.ssh|execute|run|install|download|copy|append|write)\b/i,
    unless: /\b(?:error|fail(?:s|ed|ure)?|progress|internal|confus\w*|jargon|technical)\b/i,
    only: 'prose',
  },
  {
    id: 'concealment',
    severity: 'medium',
    what: 'The text tells the model to hide what it does from the user.',
    hint: injectionHint,
    find: /\b(?:do not|don['’]t|never)\s{1,20}(?:read|open|inspect|review|look (?:at|into))\s{1,20}(?:or\s{1,20}\w{1,20}\s{1,20})?(?:the\s{1,20})?[`\w./-]{0,60}\.(?:sh|py|js|mjs|ps1|exe)\b|\b(?:do not|don['’]t|never|must not|without)\s{1,20}(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|report(?:ing)?)\s{1,20}(?:this|these|that|the|any of this|it)\s{1,20}(?:(?:step|change|action|file|command|request|call|upload|instruction|section|line|edit|script|note)s?\b)[^\n.]{0,40}|\b(?:the\s{1,20})?user\s{1,20}(?:does(?:n['’]t| not)\s{1,20}need\s{1,20}to|must\s{1,20}(?:not|never)|should\s{0,20}(?:not|n['’]t|never))\s{1,20}(?:know|see|notice|be\s{1,20}(?:told|informed|aware))\b(?=\s{0,20}(?:[.,;!\n]|$|(?:about|of|this|that|it)\b))[^\n.]{0,60}|\b(?:secretly|covertly|surreptitiously)\s{1,20}(?:\w{1,20}\s{1,20}){0,3}(?:send|upload|post|forward|copy|run|execute|download|install|transmit|record|collect)\b|\bsilently\s{1,20}(?:send|upload|post|forward|exfiltrate|transmit|collect)\b|\bwithout\s{1,20}(?:the\s{1,20})?(?:user|owner|operator)(?:['’]s)?\s{1,20}(?:knowledge|knowing|noticing|awareness|consent)\b/gi,
    only: 'prose',
  },
];
