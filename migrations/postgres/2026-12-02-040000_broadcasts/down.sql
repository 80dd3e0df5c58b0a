drop table broadcasts;
