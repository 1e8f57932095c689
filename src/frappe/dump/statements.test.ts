import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createdColumn } from './statements.ts';

const LINES: readonly (readonly [string, string | null])[] = [
  ['  `name` varchar(140) NOT NULL,', 'name'],
  ['    key character varying(140),', 'key'],
  ['    index text', 'index'],
  ['    "check" smallint,', 'check'],
  ['  `name` varchar(140) NOT NULL,\r', 'name'],
  ['  PRIMARY KEY (`name`),', null],
  ['  KEY `modified` (`modified`),', null],
  ['    CONSTRAINT pk PRIMARY KEY (name)', null],
];

test('a column of a dump may have the name of a keyword', () => {
  for (const [line, name] of LINES) assert.equal(createdColumn(line)?.name ?? null, name, line);
});
