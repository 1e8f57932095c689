import { ANA } from './secrets.ts';
import { documents, type Table } from './shapes.ts';

/** Comments, versions, shares, assignments and files. */
export function history(): Table[] {
  const about = { reference_doctype: 'Customer', reference_name: 'CUST-00001' };
  return [
    documents(
      'Comment',
      {
        comment_type: 'varchar(140)',
        comment_email: 'varchar(140)',
        comment_by: 'varchar(140)',
        reference_doctype: 'varchar(140)',
        reference_name: 'varchar(140)',
        content: 'longtext',
      },
      [
        {
          name: 'c1',
          comment_type: 'Comment',
          comment_email: ANA.user,
          comment_by: 'Ana',
          ...about,
          content: '<p>Called.</p>',
        },
      ],
    ),
    documents('Version', { ref_doctype: 'varchar(140)', docname: 'varchar(140)', data: 'longtext' }, [
      {
        name: 'v1',
        ref_doctype: 'Customer',
        docname: 'CUST-00001',
        data: '{"changed":[["customer_name","Old","New"]],"added":[],"removed":[],"row_changed":[]}',
      },
    ]),
    documents(
      'Deleted Document',
      {
        deleted_doctype: 'varchar(140)',
        deleted_name: 'varchar(140)',
        data: 'longtext',
        restored: 'tinyint',
        new_name: 'varchar(140)',
      },
      [
        {
          name: 'd1',
          deleted_doctype: 'Customer',
          deleted_name: 'CUST-00000',
          data: '{"doctype":"Customer","name":"CUST-00000"}',
        },
      ],
    ),
    documents(
      'DocShare',
      {
        user: 'varchar(140)',
        share_doctype: 'varchar(140)',
        share_name: 'varchar(140)',
        read: 'tinyint',
        write: 'tinyint',
        share: 'tinyint',
        everyone: 'tinyint',
      },
      [{ name: 's1', user: 'bo@example.com', share_doctype: 'Customer', share_name: 'CUST-00002', read: 1 }],
    ),
    documents(
      'ToDo',
      {
        status: 'varchar(140)',
        description: 'longtext',
        reference_type: 'varchar(140)',
        reference_name: 'varchar(140)',
        allocated_to: 'varchar(140)',
      },
      [
        {
          name: 't1',
          status: 'Open',
          description: 'Call',
          reference_type: 'Customer',
          reference_name: 'CUST-00001',
          allocated_to: 'bo@example.com',
        },
      ],
    ),
    documents(
      'File',
      {
        file_name: 'varchar(140)',
        is_private: 'tinyint',
        file_url: 'longtext',
        file_size: 'int',
        content_hash: 'varchar(140)',
        folder: 'varchar(140)',
        is_folder: 'tinyint',
        attached_to_doctype: 'varchar(140)',
        attached_to_name: 'varchar(140)',
        attached_to_field: 'varchar(140)',
      },
      [
        { name: 'Home', file_name: 'Home', is_folder: 1 },
        { name: 'Home/Attachments', file_name: 'Attachments', is_folder: 1, folder: 'Home' },
        {
          name: 'file1',
          file_name: 'red.png',
          is_private: 1,
          file_url: '/private/files/red.png',
          file_size: 11,
          folder: 'Home/Attachments',
          attached_to_doctype: 'Bottle Label',
          attached_to_name: 'Red',
          attached_to_field: 'picture',
        },
        {
          name: 'file2',
          file_name: 'copy.png',
          is_private: 0,
          file_url: '/files/copy.png',
          file_size: 11,
          folder: 'Home',
        },
        {
          name: 'file3',
          file_name: 'gone.pdf',
          is_private: 0,
          file_url: '/files/gone.pdf',
          file_size: 3,
          folder: 'Home',
        },
        {
          name: 'file5',
          file_name: 'Größe 1.txt',
          is_private: 0,
          file_url: '/files/Größe 1.txt',
          file_size: 5,
          folder: 'Home',
        },
        {
          name: 'file4',
          file_name: 'link',
          is_private: 0,
          file_url: 'https://example.com/logo.png',
          folder: 'Home',
        },
      ],
    ),
  ];
}
