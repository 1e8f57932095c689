import { ICON_NAMES, type IconName } from '../base/icons.ts';

/** What decides the icon of a doctype. */
export interface DrawnDoctype {
  readonly name: string;
  /** Of its definition, or ''. */
  readonly icon: string;
  readonly issingle: boolean;
  readonly is_tree: boolean;
}

/**
 * The icon of a doctype: that of its definition if it is one of ours or means the same (`fa fa-user`,
 * `octicon octicon-tag`), otherwise one that fits its name or kind.
 */
export function iconOfDoctype({ name, icon, issingle, is_tree: isTree }: DrawnDoctype): IconName {
  const given = icon.toLowerCase().replace(/^.*\b(?:fa|octicon|icon|es-line|es-solid)[- ]/, '');
  const own = ICON_NAMES.find((one) => one === given);
  if (own) return own;
  const meant = given === '' ? undefined : match(given);
  return meant ?? match(name.toLowerCase()) ?? (issingle ? 'settings' : isTree ? 'tree' : 'list');
}

function match(text: string): IconName | undefined {
  return MEANINGS.find(([words]) => words.test(text))?.[1];
}

/** Words in names of doctypes and of Frappe's icons; the first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, IconName])[] = [
  [/setting|config|preference|\bcogs?\b|wrench/, 'settings'],
  [/invoice|\bbills?\b|receipt|payment|expense/, 'receipt'],
  [/ticket|issue|support|complaint|\bbugs?\b/, 'ticket'],
  [/order|cart|basket|quotation|purchase/, 'cart'],
  [/item|product|stock|asset|material|package|cube|\bbox/, 'box'],
  [/event|meeting|appointment|booking|calendar|holiday|schedule|leave/, 'calendar'],
  [/\bleads?\b|prospect|bolt/, 'bolt'],
  [/customer|people|group of|team|member|employee|users|buyer|audience/, 'users'],
  [/contact|user|person|candidate|patient|student/, 'user'],
  [/task|todo|checklist|check/, 'task'],
  [/project|board|pipeline/, 'kanban'],
  [/company|organi[sz]ation|supplier|vendor|account|branch|department|shop|store|building/, 'building'],
  [/address|location|territory|region|country|city|place|map|warehouse/, 'pin'],
  [/mail|letter|newsletter|envelope/, 'mail'],
  [/phone|call/, 'phone'],
  [/comment|message|chat|feedback|review/, 'comment'],
  [/notification|alert|reminder|bell/, 'bell'],
  [/price|currency|budget|salary|money|coin|opportunity|deal|bank/, 'coins'],
  [/tag|label|category|type|brand/, 'tag'],
  [/permission|role|shield|security/, 'shield'],
  [/password|secret|token|key/, 'key'],
  [/log|history|version|audit/, 'history'],
  [/report|chart|dashboard|graph|metric/, 'chart'],
  [/image|photo|picture|gallery/, 'image'],
  [/webhook/, 'webhook'],
  [/folder/, 'folder'],
  [/time|clock|hour|shift/, 'clock'],
  [/book|guide|manual|knowledge|library/, 'book'],
  [/note|document|article|page|file|contract|text/, 'file'],
  [/link|url/, 'link'],
  [/script|code|field|property|setter/, 'code'],
  [/view|table|sheet/, 'table'],
  [/archive|deleted|trash/, 'archive'],
  [/site|web|globe|country/, 'globe'],
];
