import { createDocument } from '../../../src/document/verbs/create.ts';
import { defineMethod } from '../../../src/document/verbs/method.ts';
import { readDocument } from '../../../src/document/verbs/read.ts';
import { defineApp } from '../../../src/site/app.ts';

/** A small app for tests of the wire: names are free text, so that every name can be tried. */
export const notes = defineApp({
  name: 'notes',
  doctypes: new URL('./doctypes/', import.meta.url),
  methods: {
    'notes.echo': defineMethod({
      http: ['GET', 'POST'],
      allowGuest: true,
      args: 'any',
      run: (_ctx, args) => args,
    }),
    'notes.nothing': defineMethod({ http: ['GET'], run: () => Promise.resolve(null) }),
    'notes.read': defineMethod({
      http: ['GET'],
      args: { name: { type: 'Data', required: true } },
      run: (ctx, { name }) => readDocument(ctx, 'Note', name),
    }),
    'notes.add_two': defineMethod({
      args: { name: { type: 'Data', required: true }, title: { type: 'Data' } },
      async run(ctx, args) {
        const first = await createDocument(ctx, 'Note', { name: `${args.name}-1`, title: 'One' });
        const second = await createDocument(ctx, 'Note', { name: `${args.name}-2`, title: args.title });
        return [first, second];
      },
    }),
    'notes.broken': defineMethod({
      http: ['GET'],
      run: () => Promise.reject(new Error('canary /etc/secret select * from secrets')),
    }),
  },
});
