CREATE TABLE eland (legs int);
-- of animals
