-- Samples of the thread of findings.sql, which was at one line between all of its calls.
INSERT INTO python_code VALUES (9,'/opt/app/ema.py','update',20);
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (9,0,1,0);
INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (9*4096+2048,9,0,9,23,1);
INSERT INTO source_file (id,path) VALUES (9,'/opt/app/ema.py');
INSERT INTO source_line (file,line,text) VALUES (9,23,'weight.mul_(decay)');
INSERT INTO host_sample (thread,at_ns,ns,stack)
 WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM i WHERE n<300) SELECT 1,n*500000,500000,9 FROM i;
